import { afterAll, expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { Directory } from "@tollgate/storage/config/directory";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { budgetRow } from "../../support/rows/budget-row.ts";
import { serveWishes } from "../../support/servers/serve-wishes.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const KILLS = 8;
const dataDir = temporaryFolder()("data");
const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function startProcess(provider: string) {
  const ready = Promise.withResolvers<number>();
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../../support/programs/gateway-process.ts"), dataDir, provider],
    {
      stdio: ["ignore", "ignore", "inherit"],
      ipc: (message: { port: number }) => ready.resolve(message.port),
    },
  );
  cleanups.push(() => child.kill("SIGKILL"));
  void child.exited.then(code => ready.reject(new Error(`the gateway ended with ${code}`)));
  return { child, port: await ready.promise };
}

it("REL-001 REL-003 BUD-024 after kill -9 a budget's spend matches the ledger, and nothing stays reserved", async () => {
  const provider = serveWishes();
  cleanups.push(() => provider.stop());
  mkdirSync(dataDir);
  const store = await ControlStore.open({ kind: "sqlite", path: join(dataDir, "control.db") });
  cleanups.push(() => store.close());
  const { id: orgId } = await store.createOrganization("crash", "enterprise", 0);
  await store.updateOrganization(orgId, { burst_per_minute: 1_000_000 });
  const { id: keyId, key } = await store.createKey(orgId, "live", "write", 0);
  const limit = 1_000_000_000;
  const budgets = [
    budgetRow(orgId, { limit }, Date.now()),
    budgetRow(orgId, { limit, period: "monthly", enforcement: "alert_only" }, Date.now()),
    budgetRow(orgId, { limit, agent: "agent-1" }, Date.now()),
    budgetRow(orgId, { limit, paused: true }, Date.now()),
    budgetRow(orgId, { limit, key: keyId }, Date.now()),
    budgetRow(orgId, { limit, customer: "customer of agent-2" }, Date.now()),
  ];
  await store.database.db.insertInto("budgets").values(budgets).execute();

  let running = await startProcess(provider.url);
  const reader = new LedgerReader(join(dataDir, "ledger.db"));
  cleanups.push(() => reader.close());
  const directory = new Directory(join(dataDir, "control.db"));
  cleanups.push(() => directory.close());
  const events = () => reader.after(0, 1_000_000).map(({ event }) => event);
  const post = (agent: string, stream: boolean, wish: { tokens: number; waitMs: number }) =>
    fetch(`http://127.0.0.1:${running.port}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "x-provider-key": "k",
        "x-agent-id": agent,
        "x-customer-id": `customer of ${agent}`,
      },
      body: JSON.stringify({
        model: "flat",
        stream,
        messages: [{ role: "user", content: JSON.stringify(wish) }],
      }),
    });

  let isRunning = true;
  let made = 0;
  const caller = async () => {
    while (isRunning) {
      const turn = made++;
      try {
        const wish = { tokens: 1 + (turn % 50), waitMs: turn % 20 };
        await (await post(`agent-${turn % 3}`, turn % 2 === 0, wish)).text();
      } catch {
        await Bun.sleep(20); // it is being killed
      }
    }
  };
  const callers = Promise.all(Array.from({ length: 16 }, caller));
  const newest = () => reader.newest(1)[0]?.seq ?? 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const before = newest();
    await eventually("calls were settled", () => newest() > before + 50);
    running.child.kill("SIGKILL");
    await running.child.exited;
    running = await startProcess(provider.url);
  }
  isRunning = false;
  await callers;

  const all = events();
  expect(all.filter(({ status }) => status === "interrupted").length).toBeGreaterThan(KILLS);
  const total = (agent: string | null) =>
    all
      .filter(event => agent === null || event.agent_key === agent)
      .reduce((sum, event) => sum + event.cost_microcents, 0);
  const spent = ({ id }: { id: string }) =>
    reader
      .budgetSpends()
      .filter(row => row.budget_id === id)
      .reduce((sum, row) => sum + row.spent_microcents, 0);
  expect(budgets.map(spent)).toEqual([
    total(null),
    total(null),
    total("agent-1"),
    total(null),
    total(null),
    total("agent-2"),
  ]);
  expect(verifyLedger(reader, () => {}, directory.allBudgets())).toMatchObject({ ok: true, open_intents: 0 });

  // To the microcent: one more call is admitted, then none.
  await store.database.db
    .updateTable("budgets")
    .set({ limit_microcents: total(null) + 1 })
    .where("id", "=", budgets[0]?.id ?? "")
    .execute();
  await eventually("the new limit blocks", async () => {
    const answer = await post("agent-0", false, { tokens: 1, waitMs: 0 });
    const body = await answer.text();
    if (answer.status === 200) return false;
    expect(JSON.parse(body).current_spending).toBe(events().reduce((sum, e) => sum + e.cost_microcents, 0));
    return answer.status === 429;
  });
});
