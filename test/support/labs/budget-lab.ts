import { expect } from "bun:test";
import { join } from "node:path";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { Directory } from "@tollgate/storage/config/directory";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { type BudgetChange, budgetRow } from "../rows/budget-row.ts";
import { INPUT_TOKENS, serveWishes, type Wish } from "../servers/serve-wishes.ts";
import { startTestGateway } from "./test-gateway.ts";

const NOON = Date.parse("2026-11-15T12:00:00.000Z");

/** Ten microcents per input token, a hundred per output token: costs are readable at a glance. */
export const flatPrice = parsePriceOverrides([
  {
    provider: "openai",
    model: "flat",
    input_per_million_cents: 100,
    output_per_million_cents: 1000,
  },
  {
    provider: "anthropic",
    model: "flat-claude",
    input_per_million_cents: 100,
    output_per_million_cents: 1000,
  },
]);

/** The cost of a call whose answer has this many tokens. */
export const costOf = (outputTokens: number) => INPUT_TOKENS * 10 + outputTokens * 100;

/** A gateway with budgets, and a provider whose answers are as long, late and wrong as the prompt requests. */
export async function startBudgetLab(
  options: { now?: () => number; dataDir?: string; budgetPatienceMs?: number } = {},
) {
  /** Advanced by `learn` and `later`. */
  let aheadMs = 0;
  const startedAt = performance.now();
  // From noon on: no day or month ends while a test runs.
  const now = options.now ?? (() => NOON + Math.floor(performance.now() - startedAt) + aheadMs);
  /** A time after every call so far: a call in the same millisecond as a budget's start counts toward it. */
  const later = () => {
    aheadMs += 1;
    return now();
  };
  const provider = serveWishes();
  const { sent } = provider;
  const gateway = await startTestGateway({
    baseUrls: { openai: provider.url, anthropic: provider.url },
    priceOverrides: flatPrice,
    // On a busy machine a settlement may take longer than the product's default wait.
    budgetPatienceMs: 60_000,
    ...options,
    now,
  });
  await gateway.store.updateOrganization(gateway.orgId, { burst_per_minute: 1_000_000 });
  const { db } = gateway.store.database;
  const directory = new Directory(join(gateway.dataDir, "control.db"));

  async function call(
    wish: Wish,
    more: {
      agent?: string;
      customer?: string;
      body?: Record<string, unknown>;
      headers?: Record<string, string>;
    } = {},
  ) {
    const answer = await gateway.post(
      "/v1/chat/completions",
      { model: "flat", messages: [{ role: "user", content: JSON.stringify(wish) }], ...more.body },
      {
        ...(more.agent ? { "x-agent-id": more.agent } : {}),
        ...(more.customer ? { "x-customer-id": more.customer } : {}),
        ...more.headers,
      },
    );
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  return {
    gateway,
    sent,
    now,
    later,
    /** The gateway checks for changes every 50 ms: makes it check at the next call. */
    learn() {
      aheadMs += 60;
    },
    call,
    orgId: gateway.orgId,
    async addBudget(change: BudgetChange): Promise<string> {
      const id = change.id ?? crypto.randomUUID();
      await db
        .insertInto("budgets")
        .values(budgetRow(gateway.orgId, { ...change, id }, change.since ?? later()))
        .execute();
      return id;
    },
    changeBudget(
      id: string,
      change: {
        limit_microcents?: number;
        enforcement_mode?: string;
        allow_unpriced?: number;
        status?: string;
        since?: number;
      },
    ) {
      return db.updateTable("budgets").set(change).where("id", "=", id).execute();
    },
    removeBudget: (id: string) => db.deleteFrom("budgets").where("id", "=", id).execute(),
    setPaused(agentKey: string, pausedAt: number | null) {
      return db
        .insertInto("agent_settings")
        .values({
          agent_id: `id-of-${agentKey}`,
          org_id: gateway.orgId,
          mode: "live",
          agent_key: agentKey,
          name: null,
          metadata: "{}",
          archived_at: null,
          paused_at: pausedAt,
          updated_at: now(),
        })
        .onConflict(conflict => conflict.column("agent_id").doUpdateSet({ paused_at: pausedAt }))
        .execute();
    },
    /** According to the ledger, in the newest period with a row. */
    spent(id: string): number {
      return gateway.reader.budgetSpends().findLast(row => row.budget_id === id)?.spent_microcents ?? 0;
    },
    spends: (id: string) => gateway.reader.budgetSpends().filter(row => row.budget_id === id),
    cost: () => gateway.events().reduce((sum, event) => sum + event.cost_microcents, 0),
    /** The provider answers nothing until `open`. */
    close: () => provider.close(),
    verify: () => verifyLedger(gateway.reader, () => {}, directory.allBudgets()),
    async stop(keep: "remove files" | "keep files" = "remove files") {
      expect(this.verify()).toMatchObject({ ok: true, differences: [], open_intents: 0 });
      directory.close();
      await gateway.stop(keep);
      await provider.stop();
    },
  };
}

export type BudgetLab = Awaited<ReturnType<typeof startBudgetLab>>;
