import { expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { budgetRow } from "../../../../test/support/rows/budget-row.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { PostgresAllowanceBank } from "./allowance-bank.ts";
import { appendShared } from "./append-shared.ts";
import { PostgresQuotaBank } from "./quota-bank.ts";
import { returnAllowances } from "./return-allowances.ts";
import { sinceLastRequestMs } from "./since-last-request.ts";
import { unusedAllowances } from "./unused-allowances.ts";

/** A busy machine must not end a transaction. */
const PATIENT_MS = 300_000;
const databases = controlDatabases();
const LIMIT = 1_000_000;
const budget = { orgId: "org", budgetId: "budget", sinceMs: 1, period: "2026-11" };
const calls = { orgId: "org", month: "2026-11", limit: 100, givesBack: false };

it("returns what a dead node has not used, and keeps what it reported or shipped", async () => {
  const { db } = await databases.open("postgres");
  await db
    .insertInto("organizations")
    .values({ id: "org", name: "org", tier: "pro", status: "active", hash_salt: "salt", created_at: 1 })
    .execute();
  const kinds = [{ id: "budget" }, { id: "alerting", enforcement: "alert_only" }] as const;
  for (const kind of kinds) {
    const row = budgetRow("org", { ...kind, agent: "default", period: "monthly", limit: LIMIT }, 1);
    await db.insertInto("budgets").values(row).execute();
  }
  const ask = (node: string, used: number, wanted: number, budgetId = "budget") =>
    new PostgresAllowanceBank(db, node, PATIENT_MS).ask({
      ...budget,
      budgetId,
      limitMicrocents: microcents(LIMIT),
      blockingSinceMs: null,
      settledMicrocents: microcents(used),
      usedMicrocents: microcents(used),
      keptMicrocents: microcents(0),
      wantedMicrocents: microcents(wanted),
      awaitedMicrocents: microcents(0),
      givesBack: false,
    });
  const askForCalls = (node: string, usedCalls: number, wantedCalls: number) =>
    new PostgresQuotaBank(db, node, PATIENT_MS).askForCalls({
      ...calls,
      madeCalls: usedCalls,
      usedCalls,
      isFirst: false,
      wantedCalls,
    });
  await ask("dead", 10, LIMIT / 2);
  await askForCalls("dead", 1, 60);

  // After its last report it made three more calls; others do not count toward this budget, month or node.
  const changes = [
    {},
    {},
    {},
    { agent_key: "other" },
    { created_at: SAMPLE_DAY - 40 * 86_400_000 },
    { mode: "test" },
  ] as const;
  const events = changes.map((change, index) => sampleSettlement(`event ${index}`, change).event);
  const sequenced = events.map((event, index) => ({ seq: index + 1, event }));
  await db.transaction().execute(transaction => appendShared(transaction, "dead", sequenced));
  const elsewhere = [{ seq: 1, event: sampleSettlement("elsewhere").event }];
  await db.transaction().execute(transaction => appendShared(transaction, "alive", elsewhere));
  const spent = events.slice(0, 3).reduce((sum, { cost_microcents }) => sum + cost_microcents, 0);
  expect(spent).toBeWithin(11, LIMIT / 2);

  expect((await ask("alive", 0, LIMIT)).grantedMicrocents).toBe(microcents(LIMIT / 2 - 10));
  expect((await askForCalls("alive", 0, 100)).grantedCalls).toBe(39);
  expect((await unusedAllowances(db, SAMPLE_DAY)).get("dead")).toBe(LIMIT / 2);
  // Not of another period, and not of a budget that does not block.
  expect((await unusedAllowances(db, SAMPLE_DAY + 40 * 86_400_000)).size).toBe(0);
  await returnAllowances(db, "dead", SAMPLE_DAY, PATIENT_MS);
  expect(await ask("alive", 0, LIMIT)).toMatchObject({ grantedMicrocents: LIMIT - spent, isLast: true });
  // A budget that blocks only now.
  expect((await ask("alive", 0, LIMIT, "alerting")).grantedMicrocents).toBe(microcents(LIMIT - spent));
  // Three of its agent's calls, and one of another agent.
  expect((await askForCalls("alive", 0, 100)).grantedCalls).toBe(96);

  expect(await sinceLastRequestMs({ db, engine: "postgres" }, "dead")).toBeWithin(0, PATIENT_MS);
  expect(await sinceLastRequestMs({ db, engine: "postgres" }, "unknown")).toBeNull();

  // It comes back, and had used more than was known. Its spend counts, although the other one has the rest of the limit.
  expect((await ask("dead", spent + 500, 1)).grantedMicrocents).toBe(microcents(spent));
  expect(await ask("alive", LIMIT - spent, 1)).toMatchObject({
    grantedMicrocents: LIMIT - spent - 500,
    isSpent: true,
    settledElsewhereMicrocents: spent + 500,
  });
});
