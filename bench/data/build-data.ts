import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@tollgate/core/event";
import { type ControlDatabase, openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { progress } from "../kit/progress.ts";
import { followFacts, followOthers } from "./follow-ledger.ts";
import type { DataOptions } from "./options.ts";
import { ORGANIZATION } from "./sample-traffic.ts";
import { type Moment, seedControl } from "./seed-control.ts";
import { END } from "./staged-fleet.ts";
import { toolTraffic } from "./tool-traffic.ts";
import { writeLedger } from "./write-ledger.ts";

export const OUTCOMES = 10_000;
/** Increased when an older directory would measure something else. */
const LAYOUT = 2;

/** The directory contains something that must not be overwritten. */
export class OtherData extends Error {}

/**
 * Fills the directory, unless it already has the same data; an interrupted build is continued. Returns which. Throws if the
 * directory contains anything else.
 */
export async function buildData(
  folder: string,
  { events, modelsPerAgent }: DataOptions,
): Promise<"built" | "completed" | "reused"> {
  const mark = new BuildMark(folder, { layout: LAYOUT, events, modelsPerAgent });
  const before = mark.read();
  if (before === "finished") return "reused";
  if (before === "none") mark.write("begun");

  const ledgerPath = join(folder, "ledger.db");
  const moments: Moment[] = [];
  const traffic = noting(toolTraffic({ events, end: END, modelsPerAgent }), moments, events);
  const written = existsSync(ledgerPath) ? newestSeq(ledgerPath) : 0;
  progress(`writing ${events.toLocaleString("en-US")} events`);
  if (written > 0) progress(`finding the place after the first ${written.toLocaleString("en-US")}`);
  writeLedger(ledgerPath, skip(traffic, written), done => {
    if (done % 1_000_000 === 0) progress(`written ${(written + done).toLocaleString("en-US")}`);
  });
  const ledger = new LedgerReader(ledgerPath);
  const database = await openControlDatabase({ kind: "sqlite", path: join(folder, "control.db") });
  if (!(await isSeeded(database))) {
    const agentIds = new Map(ledger.agentsOf(ORGANIZATION, "live").map(agent => [agent.agent_key, agent.id]));
    await database.db.transaction().execute(db => seedControl({ db, ledgerPath, agentIds, moments }));
  }
  await followFacts(database, ledger);
  await followOthers(database, ledger);
  await database.close();
  ledger.close();
  mark.write("finished");
  return before === "none" ? "built" : "completed";
}

type BuildState = "none" | "begun" | "finished";

/** A file that says what the directory is for, and whether it is complete. */
class BuildMark {
  readonly #path: string;

  constructor(
    private readonly folder: string,
    private readonly options: object,
  ) {
    this.#path = join(folder, "bench-data.json");
  }

  read(): BuildState {
    mkdirSync(this.folder, { recursive: true });
    if (!existsSync(this.#path)) {
      if (readdirSync(this.folder).length > 0)
        throw new OtherData(`${this.folder} is neither empty nor a build of this bench`);
      return "none";
    }
    const found = readFileSync(this.#path, "utf8");
    for (const state of ["begun", "finished"] as const) if (found === this.#text(state)) return state;
    throw new OtherData(`${this.folder} was built with other options: ${found}`);
  }

  write(state: BuildState): void {
    writeFileSync(this.#path, this.#text(state));
  }

  #text(state: BuildState): string {
    return JSON.stringify({ ...this.options, state });
  }
}

/** For reports. */
export function bytesPerEvent(folder: string, events: number): { ledger: number; control: number } {
  const ofFile = (file: string) => Math.round(statSync(join(folder, file)).size / events);
  return { ledger: ofFile("ledger.db"), control: ofFile("control.db") };
}

export function describeSize(folder: string, events: number): string {
  const { ledger, control } = bytesPerEvent(folder, events);
  return `bytes per event: ${ledger} in ledger.db, ${control} in control.db`;
}

function newestSeq(ledgerPath: string): number {
  const ledger = new LedgerReader(ledgerPath);
  const seq = ledger.newestSeq();
  ledger.close();
  return seq;
}

async function isSeeded({ db }: ControlDatabase): Promise<boolean> {
  return (await db.selectFrom("outcomes").select("id").limit(1).executeTakeFirst()) !== undefined;
}

function* skip(events: Iterable<Event>, count: number): Generator<Event> {
  let passed = 0;
  for (const event of events) if (++passed > count) yield event;
}

/** Forwards events, and records where outcomes will be: evenly over the traffic, in sessions. */
function* noting(traffic: Iterable<Event>, moments: Moment[], events: number): Generator<Event> {
  let passed = 0;
  for (const event of traffic) {
    passed++;
    const isDue = moments.length < Math.floor((passed / events) * OUTCOMES);
    const { session_id: sessionId, org_id, mode } = event;
    if (isDue && sessionId !== null && org_id === ORGANIZATION && mode === "live") {
      moments.push({ at: event.created_at, sessionId, agentKey: event.agent_key });
    }
    yield event;
  }
}
