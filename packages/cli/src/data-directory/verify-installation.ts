import type { Budget } from "@tollgate/core/budgets/budget";
import type { Mode } from "@tollgate/core/event";
import type { ControlStore } from "@tollgate/storage/config/control-store";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { verifyProfile } from "@tollgate/storage/profile/verify-profile";
import { verifyReadModel } from "@tollgate/storage/read-model/deriving/verify-read-model";
import {
  type Compared,
  compareCopy,
  compareShipped,
} from "@tollgate/storage/shared-ledger/compare-with-shared";
import type { Config } from "../config/config.ts";
import { untilCopied } from "./until-copied.ts";

interface Parts {
  readonly role: Config["role"];
  readonly store: ControlStore;
  readonly ledger: LedgerReader;
  /** Whose spend is checked. */
  readonly budgets: readonly Budget[];
  /** null: this ledger was never shipped. */
  readonly nodeId: string | null;
  readonly note: (text: string) => void;
}

/** Recomputes every cost and everything derived, and compares the ledger with its copy in PostgreSQL. */
export async function verifyInstallation({ role, store, ledger, budgets, nodeId, note }: Parts) {
  const verification = verifyLedger(ledger, every(100_000, note, "events"), budgets);
  const shared = await compareShared(role, store, ledger, nodeId, note);
  const incomplete: string[] = [];
  const differences = [
    ...verification.differences,
    ...(shared?.differences ?? []),
    // Derived from the events of all gateways, which only a control plane has.
    ...(role === "gateway"
      ? []
      : [
          ...(await verifyReadModel(
            store.database,
            ledger,
            table => incomplete.push(table),
            async (snapshot, seq) => {
              if (role === "control") await untilCopied(snapshot, ledger, seq);
            },
          )),
          ...(await verifyProfile(store.database)),
        ]),
  ];
  // Test traffic is summed separately, because it costs no money.
  const sums = { live: 0, test: 0 };
  const removed = await store.removedAdjusted();
  const adjustments = [...(await store.adjustments())].flatMap(([eventId, amount]) => {
    const mode = ledger.modeOf(eventId) ?? removed.get(eventId)?.mode ?? null;
    // The event of another gateway.
    return mode === null && role === "gateway" ? [] : [{ eventId, amount, mode: mode ?? "live" }];
  });
  for (const { amount, mode } of adjustments) sums[mode] += amount;
  const adjusted = ledger.summariesByIds(adjustments.map(({ eventId }) => eventId));
  const known = new Set(adjusted.map(({ id }) => id));
  const pricedSince = (wanted: Mode) =>
    adjusted.filter(({ mode, cost_basis }) => mode === wanted && cost_basis === "unpriced").length +
    [...removed].filter(([id, { mode, wasUnpriced }]) => mode === wanted && wasUnpriced && !known.has(id))
      .length;
  return {
    ...verification,
    ok: differences.length === 0,
    differences,
    /** Tables whose sums an upgrade is still filling. */
    not_compared: incomplete,
    unpriced_calls: verification.unpriced_calls - pricedSince("live"),
    test_unpriced_calls: verification.test_unpriced_calls - pricedSince("test"),
    adjustments_microcents: sums.live,
    test_adjustments_microcents: sums.test,
    total_microcents: verification.cost_microcents + sums.live,
    test_total_microcents: verification.test_cost_microcents + sums.test,
    /** null: one machine, whose ledger is nowhere else. */
    shared_ledger: shared && {
      events: shared.events,
      cost_microcents: shared.cost_microcents,
      unpriced_calls: shared.unpriced_calls,
      pending_events: shared.pending_events,
    },
  };
}

async function compareShared(
  role: Config["role"],
  { database }: ControlStore,
  ledger: LedgerReader,
  nodeId: string | null,
  note: (text: string) => void,
): Promise<Compared | null> {
  if (database.engine !== "postgres") return null;
  const onProgress = every(100_000, note, "events compared with PostgreSQL");
  if (role === "control") return await compareCopy(database.db, ledger, onProgress);
  return nodeId === null ? null : await compareShipped(database.db, ledger, nodeId, onProgress);
}

function every(count: number, note: (text: string) => void, what: string) {
  let said = 0;
  return (done: number) => {
    if (done - said < count) return;
    said = done;
    note(`${done} ${what}…`);
  };
}
