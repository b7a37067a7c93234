/** How long one organization waits while another, with very many agents, requests its largest answers. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followFacts, followOthers } from "../data/follow-ledger.ts";
import { sampleTraffic } from "../data/sample-traffic.ts";
import { END } from "../data/staged-fleet.ts";
import { writeLedger } from "../data/write-ledger.ts";
import { undoOnExit } from "../kit/at-exit.ts";
import { describeEnvironment } from "../kit/environment.ts";
import { median } from "../kit/percentile.ts";
import { progress } from "../kit/progress.ts";
import { temporaryDirectory } from "../kit/temporary-directory.ts";
import { startToolsControl } from "../tools/start-tools-control.ts";

const CALLS_AN_AGENT = 3;
const TURNS = 3;
const AT_ONCE = 4;
const IDLE_REQUESTS = 50;
const LARGEST_BYTES = 1_000_000;

const paths = [
  "/api/agents",
  "/api/dashboard",
  "/api/roi-audit",
  "/api/cost-leak-scan?include_low_severity=true",
  "/api/suggestions",
  "/api/attribution",
  "/api/upgrade-justification",
  "/api/predictions",
  "/api/analytics",
  "/api/events?limit=500",
  "/api/customers?limit=500",
];

interface Answer {
  readonly path: string;
  readonly bytes: number;
  readonly ms: number;
  /** The longest wait of the other organization during that time. */
  readonly otherMs: number;
}

export async function runTenantsBench(args: readonly string[]): Promise<number> {
  const agents = readAgents(args);
  if (agents === null) {
    console.error("usage: bench tenants [--agents N]");
    return 2;
  }
  undoOnExit();
  const folder = temporaryDirectory("tenants");
  const { large, small } = await buildData(folder, agents);
  const control = await startToolsControl(folder);
  progress("waiting until the control plane has nothing left to derive");
  if (!(await control.settled())) throw new Error("the control plane was still busy after five minutes");
  const wait = () => timed(control.url, "/api/budgets", small);
  const idle: number[] = [];
  for (let sent = 0; sent < IDLE_REQUESTS; sent++) idle.push((await wait()).ms);
  const idleMs = median(idle) ?? Number.NaN;
  const answers: Answer[] = [];
  for (const path of paths) {
    progress(path);
    answers.push(await measure(path, () => timed(control.url, path, large), wait));
  }
  await control.stop();
  return report(agents, idleMs, answers);
}

/** null: invalid. */
function readAgents(args: readonly string[]): number | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { agents: { type: "string", default: "40000" } },
    });
    const agents = Number(values.agents);
    return Number.isSafeInteger(agents) && agents >= 1 ? agents : null;
  } catch {
    return null;
  }
}

async function buildData(folder: string, agents: number): Promise<{ large: string; small: string }> {
  const place = { kind: "sqlite", path: join(folder, "control.db") } as const;
  const store = await ControlStore.open(place);
  const large = await store.createOrganization("large", "enterprise", END);
  const small = await store.createOrganization("small", "enterprise", END);
  const keys = {
    large: (await store.createKey(large.id, "live", "read", END)).key,
    small: (await store.createKey(small.id, "live", "read", END)).key,
  };
  await store.close();
  progress(`writing the calls of ${agents.toLocaleString("en-US")} agents`);
  const ledgerPath = join(folder, "ledger.db");
  writeLedger(ledgerPath, trafficOf(large.id, agents), () => {});
  const database = await openControlDatabase(place);
  const ledger = new LedgerReader(ledgerPath);
  await followFacts(database, ledger);
  await followOthers(database, ledger);
  await database.close();
  ledger.close();
  return keys;
}

function* trafficOf(orgId: string, agents: number) {
  let made = 0;
  for (const event of sampleTraffic(agents * CALLS_AN_AGENT, END)) {
    const agent = made++ % agents;
    yield { ...event, org_id: orgId, mode: "live" as const, agent_key: `agent-${agent}` };
  }
}

async function timed(url: string, path: string, key: string): Promise<{ ms: number; bytes: number }> {
  const started = performance.now();
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  const bytes = (await answer.arrayBuffer()).byteLength;
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return { ms: performance.now() - started, bytes };
}

/** Several concurrent requests of one organization, and sequential ones of the other. */
async function measure(
  path: string,
  ask: () => Promise<{ ms: number; bytes: number }>,
  wait: () => Promise<{ ms: number }>,
): Promise<Answer> {
  let isOver = false;
  let otherMs = 0;
  const beside = (async () => {
    while (!isOver) otherMs = Math.max(otherMs, (await wait()).ms);
  })();
  const answers = [];
  for (let turn = 0; turn < TURNS; turn++) {
    answers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, ask))));
  }
  isOver = true;
  await beside;
  return {
    path,
    bytes: Math.max(...answers.map(({ bytes }) => bytes)),
    ms: median(answers.map(({ ms }) => ms)) ?? Number.NaN,
    otherMs,
  };
}

function report(agents: number, idleMs: number, answers: readonly Answer[]): number {
  console.log(
    `\n${describeEnvironment()}; ${agents.toLocaleString("en-US")} agents, ${AT_ONCE} requests at once`,
  );
  console.log(`the other organization alone: ${idleMs.toFixed(1)} ms (median)\n`);
  const columns = ["answer kB", "median ms", "other's longest", "ratio"];
  console.log(`${"".padEnd(48)}${columns.map(title => title.padStart(16)).join("")}`);
  for (const { path, bytes, ms, otherMs } of answers) {
    const numbers = [bytes / 1000, ms, otherMs, otherMs / idleMs];
    console.log(`${path.padEnd(48)}${numbers.map(number => number.toFixed(1).padStart(16)).join("")}`);
  }
  const large = answers.filter(({ bytes }) => bytes > LARGEST_BYTES);
  const isBounded = large.length === 0;
  const numbers = isBounded ? "all of them" : `not ${large.map(({ path }) => path).join(", ")}`;
  console.log(
    `\n${isBounded ? "PASS" : "FAIL"}  every answer is below ${LARGEST_BYTES / 1000} kB: ${numbers}`,
  );
  return isBounded ? 0 : 1;
}
