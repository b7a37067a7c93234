import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT_PATH, callBody } from "../chat-request.ts";
import { plainEnvironment, startOwnedProcess } from "../owned-process.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { PROVIDER_KEY, type RunningTarget, type Target } from "./target.ts";
import { waitUntil } from "./wait-until.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
const CLI = "packages/cli/src/main.ts";
const START_MS = 60_000;
const LIFT_MS = 10_000;

/** High enough to never refuse a call; the limiter itself stays in the path of every call. */
const BURST_PER_MINUTE = 1_000_000_000;

/** Our gateway with everything enabled: key check, limits, and the intent and event on disk for every call. */
export const tollgate: Target = {
  name: "tollgate",
  title: "Tollgate, ledger, key check and limits on",
  fewer: 1,
  start: upstream => startTollgate(upstream),
};

const LIMIT_MICROCENTS = 1_000_000_000_000_000;

/** The same with one budget for the organization and one for the agent: both are checked and settled for every call. */
export const tollgateWithBudgets: Target = {
  name: "budgets",
  title: "Tollgate, with two budgets that apply to every call",
  fewer: 1,
  start: upstream => startTollgate(upstream, { budgets: ["monthly", "daily"] }),
};

export interface RunningTollgate extends RunningTarget {
  readonly web: URL;
  readonly orgId: string;
  /** A live key with all permissions. */
  readonly key: string;
}

/** `npm start`'s processes on free ports, with an organization without effective limits. */
export async function startTollgate(
  upstream: RunningTarget,
  options: {
    readonly budgets?: readonly string[];
    readonly settings?: Readonly<Record<string, string>>;
  } = {},
): Promise<RunningTollgate> {
  const directory = temporaryDirectory("data");
  const env = {
    ...plainEnvironment(),
    SVC_DATA_DIR: directory,
    SVC_GATEWAY_PORT: "0",
    SVC_WEB_PORT: "0",
    SVC_OPENAI_BASE_URL: `http://${upstream.address.hostname}:${upstream.address.port}`,
    SVC_DEFAULT_TIER: "enterprise",
    ...options.settings,
  };
  const program = startOwnedProcess([process.execPath, CLI, "start"], { cwd: ROOT, env });
  const addresses = join(directory, "addresses.json");
  await waitUntil("Tollgate", program, START_MS, async () => addressOf(addresses, "gateway") !== null);
  const url = addressOf(addresses, "gateway");
  const web = addressOf(addresses, "web");
  if (url === null || web === null) throw new Error("addresses.json does not name both planes");

  const org = await runCli(["org", "create", "--name", "bench", "--tier", "enterprise", "--json"], env);
  const key = stringField(org, "live_key");
  const orgId = stringField(org, "id");
  await runCli(["org", "update", orgId, "--burst-per-minute", String(BURST_PER_MINUTE), "--json"], env);
  const headers = { Authorization: `Bearer ${key}`, "X-Provider-Key": PROVIDER_KEY, "X-Agent-ID": "bench" };
  // The gateway sees the new limit within a second; until then the load would hit the old one.
  await waitUntil("the lifted burst limit", program, LIFT_MS, () => burstIsLifted(url, headers));
  for (const period of options.budgets ?? []) await addBudget(web, key, period);
  return {
    address: { hostname: url.hostname, port: Number(url.port) },
    headers,
    pid: program.pid,
    version: `Bun ${Bun.version}`,
    stop: program.stop,
    web,
    orgId,
    key,
  };
}

async function addBudget(web: URL, key: string, period: string): Promise<void> {
  const response = await fetch(new URL("/api/budgets", web), {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify({ period, limit_microcents: LIMIT_MICROCENTS, enforcement_mode: "hard_block" }),
  });
  if (response.status !== 201) throw new Error(`a budget was refused with ${response.status}`);
}

async function burstIsLifted(url: URL, headers: Readonly<Record<string, string>>): Promise<boolean> {
  const response = await fetch(new URL(CHAT_PATH, url), {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: callBody,
  });
  await response.arrayBuffer();
  return response.headers.get("RateLimit-Limit") === String(BURST_PER_MINUTE);
}

/** null until the complete file is there. */
function addressOf(path: string, plane: "gateway" | "web"): URL | null {
  if (!existsSync(path)) return null;
  try {
    const addresses: unknown = JSON.parse(readFileSync(path, "utf8"));
    return new URL(stringField(addresses, plane));
  } catch {
    return null;
  }
}

async function runCli(args: readonly string[], env: Readonly<Record<string, string>>): Promise<unknown> {
  const run = Bun.spawn([process.execPath, CLI, ...args], {
    cwd: ROOT,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(run.stdout).text();
  if ((await run.exited) !== 0) throw new Error(`\`${args.slice(0, 2).join(" ")}\` failed`);
  return JSON.parse(output);
}

function stringField(value: unknown, name: string): string {
  if (typeof value === "object" && value !== null && name in value) {
    const field: unknown = Reflect.get(value, name);
    if (typeof field === "string") return field;
  }
  throw new Error(`the answer has no \`${name}\``);
}
