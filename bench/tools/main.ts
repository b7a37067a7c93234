/** Every read tool of the hosted endpoint at ten million events, called as agents call it. */
import { join } from "node:path";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { surfaces } from "@tollgate/tools/surfaces";
import { bytesPerEvent, describeSize, OUTCOMES } from "../data/build-data.ts";
import { type PreparedData, prepareData } from "../data/prepare-data.ts";
import { ORGANIZATION } from "../data/sample-traffic.ts";
import { END } from "../data/staged-fleet.ts";
import { describeEnvironment } from "../kit/environment.ts";
import { progress } from "../kit/progress.ts";
import { measureTool, type ToolResult, TURNS } from "./measure-tool.ts";
import { startToolsControl } from "./start-tools-control.ts";
import { isMeasured } from "./tool-arguments.ts";

const P95_LIMIT_MS = 300;

interface Result {
  readonly tools: readonly ToolResult[];
  /** Read tools without arguments in the bench. */
  readonly unknown: readonly string[];
}

/** Resolves with the exit code: 0, 1 if a condition does not hold, 2 for invalid arguments. */
export async function runToolsBench(args: readonly string[]): Promise<number> {
  const data = await prepareData("tools", args);
  return data === null ? 2 : report(data, await measure(data.folder));
}

async function measure(folder: string): Promise<Result> {
  const readTools = surfaces.hosted.filter(isMeasured);
  const keys = await makeKeys(folder, readTools.length);
  const ledger = new LedgerReader(join(folder, "ledger.db"));
  const agentIds = ledger.agentsOf(ORGANIZATION, "live").map(({ id }) => id);
  ledger.close();
  const control = await startToolsControl(folder);
  progress("waiting until the control plane has nothing left to derive");
  if (!(await control.settled())) throw new Error("the control plane was still busy after five minutes");
  const tools: ToolResult[] = [];
  const unknown: string[] = [];
  for (const [index, tool] of readTools.entries()) {
    progress(tool.name);
    const result = await measureTool(
      tool,
      { url: control.url, key: keys[index] ?? "", pid: control.pid },
      { agentIds },
    );
    if (result === null) unknown.push(tool.name);
    else tools.push(result);
  }
  await control.stop();
  return { tools, unknown };
}

/** One key per tool, each below its sixty calls per minute: the limit stays enabled, and nothing waits for it. */
async function makeKeys(folder: string, count: number): Promise<string[]> {
  const store = await ControlStore.open({ kind: "sqlite", path: join(folder, "control.db") });
  const keys: string[] = [];
  for (let made = 0; made < count; made++) {
    keys.push((await store.createKey(ORGANIZATION, "live", "read", END)).key);
  }
  await store.database.db.updateTable("organizations").set({ optimization_model_v3: 1 }).execute();
  await store.close();
  return keys;
}

function report({ json, folder, events, modelsPerAgent }: PreparedData, { tools, unknown }: Result): number {
  const verdict = (holds: boolean) => (holds ? "PASS" : "FAIL");
  const slow = tools.filter(({ p95Ms }) => !(p95Ms < P95_LIMIT_MS));
  const slowest = tools.toSorted((a, b) => b.p95Ms - a.p95Ms)[0];
  const conditions = [
    {
      verdict: verdict(slow.length === 0 && tools.length > 0),
      text: `every read tool answers under ${P95_LIMIT_MS} ms (p95)`,
      numbers:
        slow.length > 0
          ? `over it: ${slow.map(({ name, p95Ms }) => `${name} ${p95Ms.toFixed(0)} ms`).join(", ")}`
          : `slowest ${slowest?.name ?? "none"}, ${slowest?.p95Ms.toFixed(1) ?? "–"} ms`,
    },
    {
      verdict: verdict(unknown.length === 0),
      text: "every read tool was called",
      numbers:
        unknown.length > 0
          ? `tool-arguments.ts has no arguments for ${unknown.join(", ")}`
          : `${tools.length} tools, ${TURNS} calls each`,
    },
  ];
  const ok = conditions.every(condition => condition.verdict === "PASS");
  const environment = describeEnvironment();
  if (json) {
    const sizes = { events, modelsPerAgent, bytesPerEvent: bytesPerEvent(folder, events) };
    console.log(JSON.stringify({ ok, environment, ...sizes, tools, conditions }, null, 2));
    return ok ? 0 : 1;
  }
  console.log(
    `\n${environment}; ${events.toLocaleString("en-US")} events, 200 agents of up to ${modelsPerAgent} models, ${OUTCOMES.toLocaleString("en-US")} outcomes`,
  );
  console.log(`${describeSize(folder, events)}\n`);
  const columns = ["median ms", "p95 ms", "longest", "CPU ms", "answer kB"];
  console.log(`${"".padEnd(40)}${columns.map(title => title.padStart(11)).join("")}`);
  for (const { name, p50Ms, p95Ms, longestMs, cpuMsPerCall, largestAnswerBytes } of tools) {
    const numbers = [p50Ms, p95Ms, longestMs, cpuMsPerCall, largestAnswerBytes / 1000];
    console.log(`${name.padEnd(40)}${numbers.map(number => number.toFixed(1).padStart(11)).join("")}`);
  }
  console.log("");
  for (const condition of conditions) {
    console.log(`${condition.verdict}  ${condition.text}: ${condition.numbers}`);
  }
  return ok ? 0 : 1;
}
