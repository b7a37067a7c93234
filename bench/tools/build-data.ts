import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "@tollgate/core/event";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { ORGANIZATION } from "../analytics/sample-traffic.ts";
import { writeLedger } from "../analytics/write-ledger.ts";
import { progress } from "../gateway/progress.ts";
import { followEverything } from "./follow-everything.ts";
import type { ToolsOptions } from "./options.ts";
import { type Moment, seedControl } from "./seed-control.ts";
import { END } from "./staged-fleet.ts";
import { toolTraffic } from "./tool-traffic.ts";

export const OUTCOMES = 10_000;
/** Increased when an older directory would measure something else. */
const LAYOUT = 1;

/** The directory contains something that must not be overwritten. */
export class OtherData extends Error {}

/** Fills the directory, unless it already has the same data; returns which. Throws if it contains anything else. */
export async function buildData(
  folder: string,
  { events, modelsPerAgent }: ToolsOptions,
): Promise<"built" | "reused"> {
  const markPath = join(folder, "tools-bench.json");
  const mark = JSON.stringify({ layout: LAYOUT, events, modelsPerAgent });
  mkdirSync(folder, { recursive: true });
  if (existsSync(markPath)) {
    if (readFileSync(markPath, "utf8") === mark) return "reused";
    throw new OtherData(`${folder} was built with other options: ${readFileSync(markPath, "utf8")}`);
  }
  if (readdirSync(folder).length > 0) throw new OtherData(`${folder} is neither empty nor a finished build`);

  const ledgerPath = join(folder, "ledger.db");
  const moments: Moment[] = [];
  progress(`writing ${events.toLocaleString("en-US")} events`);
  const traffic = toolTraffic({ events, end: END, modelsPerAgent });
  writeLedger(ledgerPath, noting(traffic, moments, events), written => {
    if (written % 1_000_000 === 0) progress(`written ${written.toLocaleString("en-US")}`);
  });
  const ledger = new LedgerReader(ledgerPath);
  const database = await openControlDatabase({ kind: "sqlite", path: join(folder, "control.db") });
  const agentIds = new Map(ledger.agentsOf(ORGANIZATION, "live").map(agent => [agent.agent_key, agent.id]));
  await seedControl({ db: database.db, ledgerPath, agentIds, moments });
  await followEverything(database, ledger);
  await database.close();
  ledger.close();
  // Last: an interrupted build does not count.
  writeFileSync(markPath, mark);
  return "built";
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
