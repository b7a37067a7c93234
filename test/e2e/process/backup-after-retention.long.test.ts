import { afterEach, expect, it } from "bun:test";
import { join } from "node:path";
import { DAY_MS } from "@tollgate/core/time/durations";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const OLD_CALLS = 30;
const NEW_CALLS = 5;
const retention = { SVC_RETENTION_DAYS: "31" };

const folder = temporaryFolder();
const started: RunningTollgate[] = [];
afterEach(async () => {
  for (const tollgate of started.splice(0)) await tollgate.stop();
});

async function start(dataDir: string): Promise<{ tollgate: RunningTollgate; url: string }> {
  const tollgate = startTollgate(dataDir, retention);
  started.push(tollgate);
  return { tollgate, url: await tollgate.ready() };
}

const verify = async (dataDir: string) =>
  (await svc(dataDir, ["ledger", "verify", "--json"], retention)).json() as {
    test_cost_microcents: number;
  };

it("REL-015 REL-022 a backup taken after retention has removed calls is restored without losing or doubling one", async () => {
  const dataDir = folder("data");
  const first = await start(dataDir);
  await eventually("the first keys", () => printedKeys(first.tollgate.stdout).test.length === 1);
  const headers = {
    authorization: `Bearer ${printedKeys(first.tollgate.stdout).test[0]}`,
    "x-provider-key": "k",
    "content-type": "application/json",
  };
  const call = async (url: string) => {
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`${url}/v1/chat/completions`, request)).status;
  };
  const report = async (url: string) => {
    const timestamp = new Date(Date.now() - 60 * DAY_MS).toISOString();
    const events = Array.from({ length: OLD_CALLS }, (_, index) => ({
      id: `old-${index}`,
      timestamp,
      model: "gpt-4o-mini",
      input_tokens: 1000,
      output_tokens: 100,
    }));
    const request = { method: "POST", headers, body: JSON.stringify({ events }) };
    return (await fetch(`${url}/v1/events`, request)).json();
  };
  const counted = async ({ tollgate }: { tollgate: RunningTollgate }) => {
    const path = "/api/analytics/breakdown?group_by=model&days=90";
    const answer = await fetch(`${tollgate.addressOf("web")}${path}`, { headers });
    const { total } = (await answer.json()) as { total: { call_count: number } };
    return total.call_count;
  };

  expect(await report(first.url)).toMatchObject({ accepted: OLD_CALLS });
  for (let made = 0; made < NEW_CALLS; made++) expect(await call(first.url)).toBe(200);
  await eventually("every call is counted", async () => (await counted(first)) === OLD_CALLS + NEW_CALLS);
  const { test_cost_microcents: cost } = await verify(dataDir);

  // Retention looks once a minute, and when the control plane starts.
  await first.tollgate.stop();
  const second = await start(dataDir);
  await eventually("the ledger has lost its beginning", () => {
    const ledger = new LedgerReader(join(dataDir, "ledger.db"));
    const oldest = ledger.oldestSeq();
    ledger.close();
    return oldest === OLD_CALLS + 1;
  });
  const backup = folder("backup");
  expect((await svc(dataDir, ["backup", backup], retention)).exitCode).toBe(0);
  await second.tollgate.stop();

  const restored = folder("restored");
  expect((await svc(restored, ["restore", backup], retention)).exitCode).toBe(0);
  const expected = { ok: true, removed_events: OLD_CALLS, differences: [] };
  expect(await verify(restored)).toMatchObject({
    ...expected,
    events: NEW_CALLS,
    test_cost_microcents: cost,
  });
  const third = await start(restored);
  expect(await counted(third)).toBe(OLD_CALLS + NEW_CALLS);
  expect(await report(third.url)).toMatchObject({ accepted: 0, duplicates: OLD_CALLS });
  expect(await call(third.url)).toBe(200);
  await eventually("the call is counted", async () => (await counted(third)) === OLD_CALLS + NEW_CALLS + 1);
  expect(await verify(restored)).toMatchObject({ ...expected, events: NEW_CALLS + 1 });
}, 600_000);
