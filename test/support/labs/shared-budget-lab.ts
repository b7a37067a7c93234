import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { startGateway } from "@tollgate/gateway/start-gateway";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { ConfigMirror } from "@tollgate/storage/config/mirror-config";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { DatabaseUnavailable } from "@tollgate/storage/engine/database-unavailable";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { accountForSilent } from "@tollgate/storage/shared-ledger/account-for-silent";
import { PostgresAllowanceBank } from "@tollgate/storage/shared-ledger/allowance-bank";
import { NODE_SILENCE_MS, NodeRegister } from "@tollgate/storage/shared-ledger/node-register";
import { PostgresQuotaBank } from "@tollgate/storage/shared-ledger/quota-bank";
import { shipLedger } from "@tollgate/storage/shared-ledger/ship-ledger";
import { type BudgetChange, budgetRow } from "../rows/budget-row.ts";
import { serveWishes, type Wish } from "../servers/serve-wishes.ts";
import { flatPrice } from "./budget-lab.ts";

/** A busy machine must not end a transaction. */
const PATIENT_MS = 300_000;

export type SharedBudgetLab = Awaited<ReturnType<typeof startSharedBudgetLab>>;
export type SharedNode = Awaited<ReturnType<SharedBudgetLab["startNode"]>>;

/**
 * Gateways in this process that share budgets by a real PostgreSQL, each with its own files and clocks. Each hears of changes,
 * ships its ledger and loses the connection to PostgreSQL when the test says so.
 */
export async function startSharedBudgetLab(
  database: ControlDatabase,
  inFolder: (name: string) => string,
  /** What right clocks show when the lab starts. */
  startsAtMs: number,
) {
  const startedAt = performance.now();
  const now = () => startsAtMs + Math.floor(performance.now() - startedAt);
  const provider = serveWishes();
  const store = ControlStore.over(database);
  const { id: orgId } = await store.createOrganization("test", "enterprise", startsAtMs);
  await store.updateOrganization(orgId, { burst_per_minute: 1_000_000 });
  const { key } = await store.createKey(orgId, "live", "write", startsAtMs);
  const stops: (() => Promise<void>)[] = [];

  return {
    database,
    orgId,
    now,
    /** How many calls the provider has received. */
    sentCount: () => provider.sent.length,
    /** The provider answers nothing until `open`. */
    close: () => provider.close(),
    /** By a control plane whose clock shows `atMs`; nodes know it when they have heard of it. */
    async addBudget(change: BudgetChange, atMs = now()): Promise<string> {
      const row = budgetRow(orgId, change, atMs);
      await database.db.insertInto("budgets").values(row).execute();
      // By PostgreSQL's clock, which shows another time.
      const ageMs = Math.max(0, now() - atMs);
      await database.db
        .updateTable("blocking_budgets")
        .set(({ eb }) => ({ blocking_since: eb("blocking_since", "-", ageMs) }))
        .where("budget_id", "=", row.id)
        .execute();
      return row.id;
    },
    async changeBudget(
      id: string,
      change: { limit_microcents?: number; enforcement_mode?: string; strict?: number },
      atMs = now(),
    ): Promise<void> {
      await database.db
        .updateTable("budgets")
        .set({ ...change, updated_at: atMs })
        .where("id", "=", id)
        .execute();
    },
    /** Since the budget exists: one that has asked for a part of it has also reported. */
    async hasReported(budgetId: string, nodeId: string): Promise<boolean> {
      const rows = await database.db
        .selectFrom("budget_shares")
        .select("node_id")
        .where("org_id", "=", orgId)
        .where("budget_id", "=", budgetId)
        .where("node_id", "=", nodeId)
        .execute();
      return rows.length > 0;
    },
    /** As a control plane does, once the dead ones have been silent for long enough. */
    async accountForSilent(): Promise<void> {
      await accountForSilent(database.db, NODE_SILENCE_MS, PATIENT_MS);
    },
    async startNode(id: string, aheadMs = 0) {
      const clock = { aheadMs, uptimeAheadMs: 0 };
      const state = { isCutOff: false, isStopped: false };
      const controlPath = inFolder(`${id}-control.db`);
      const ledgerPath = inFolder(`${id}-ledger.db`);
      const mirror = await ConfigMirror.open(database, controlPath);
      await mirror.syncIfChanged();
      const bank = new PostgresAllowanceBank(database.db, id, PATIENT_MS, PATIENT_MS);
      const quotas = new PostgresQuotaBank(database.db, id, PATIENT_MS);
      const reach = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
        if (state.isCutOff) throw new DatabaseUnavailable();
        return await ask();
      };
      const gateway = await startGateway({
        host: "127.0.0.1",
        port: 0,
        ledgerPath,
        controlPath,
        durability: "normal",
        providerTimeoutMs: PATIENT_MS,
        requestTimeoutMs: PATIENT_MS,
        onDisconnect: "abort",
        baseUrls: { openai: provider.url },
        priceOverrides: flatPrice,
        upgradeUrl: "http://127.0.0.1:3000/settings/plan",
        trustedProxies: TrustedProxies.none,
        log: () => {},
        // Tests use budgets up: calls that nothing can be granted to need not wait for long.
        budgetPatienceMs: 20,
        now: () => now() + clock.aheadMs,
        uptimeMs: () => performance.now() + clock.uptimeAheadMs,
        allowanceBank: {
          ask: request => reach(() => bank.ask(request)),
          quotas: {
            askForCalls: request => reach(() => quotas.askForCalls(request)),
            heldMonths: () => reach(() => quotas.heldMonths()),
            registerAgent: request => reach(() => quotas.registerAgent(request)),
            withdrawAgent: agent => reach(() => quotas.withdrawAgent(agent)),
          },
        },
      });
      const reader = new LedgerReader(ledgerPath);
      const register = new NodeRegister(
        database,
        { id, host: "host", version: "1" },
        () => reader.newestSeq(),
        () => {},
      );
      await register.report();
      const shipping = shipLedger(database, reader, id);
      const stop = async () => {
        if (state.isStopped) return;
        state.isStopped = true;
        await gateway.stop(0);
        mirror.close();
        reader.close();
      };
      stops.push(stop);
      return {
        id,
        clock,
        reader,
        controlPath,
        /** Copies the configuration. */
        async hear(): Promise<void> {
          await mirror.syncIfChanged();
          // The gateway checks for changes every 50 ms: makes it check at the next call.
          clock.aheadMs += 60;
        },
        ship: () => shipping.catchUp(),
        /** PostgreSQL cannot be reached from here. */
        cutOff(isCutOff: boolean): void {
          state.isCutOff = isCutOff;
        },
        async call(wish: Wish): Promise<number> {
          const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${key}`,
              "x-provider-key": "k",
              "content-type": "application/json",
            },
            body: JSON.stringify({
              model: "flat",
              messages: [{ role: "user", content: JSON.stringify(wish) }],
            }),
          });
          await answer.text();
          return answer.status;
        },
        events: () => reader.between(0, Number.MAX_SAFE_INTEGER).map(({ event }) => event),
        stop,
        /** Gives nothing back, and ships nothing more. */
        async die(): Promise<void> {
          state.isCutOff = true;
          await stop();
          await database.db
            .updateTable("nodes")
            .set(({ eb }) => ({ last_seen_at: eb("last_seen_at", "-", NODE_SILENCE_MS + 1000) }))
            .where("id", "=", id)
            .execute();
        },
      };
    },
    async stop(): Promise<void> {
      for (const one of stops) await one();
      await provider.stop();
    },
  };
}
