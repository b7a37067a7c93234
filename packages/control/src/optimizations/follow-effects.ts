import type { Event } from "@tollgate/core/event";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { switchedSaving } from "@tollgate/core/suggestions/switched-saving";
import { emptyTables } from "@tollgate/storage/database/empty-tables";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import { type Upsert, upsertRows } from "@tollgate/storage/database/upsert-rows";
import { Following } from "@tollgate/storage/following/following";
import type { LedgerConsumer, LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import { LedgerCursor } from "@tollgate/storage/following/ledger-cursor";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import { isSamePosition, LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { scopeName } from "@tollgate/storage/ledger/scope-name";
import { toScope } from "@tollgate/storage/ledger/to-scope";
import type { Kysely } from "kysely";
import { readMetadata } from "../kernel/read-metadata.ts";

export const EFFECTS_CURSOR = "optimizations:events";

const EVENTS = 500;
const POLL_MS = 100;
/** Calls that were under way when it was undone still end with the other model. */
const AFTERMATH_MS = 3_600_000;

interface Applied {
  readonly id: string;
  readonly type: string;
  readonly model: string | null;
  readonly appliedAt: number;
  readonly undoneAt: number | null;
}

interface Effect {
  calls: number;
  pricedCalls: number;
  savedMicrocents: number;
}

const addEffects: Upsert = {
  table: "optimization_effects",
  columns: ["optimization_id", "calls", "priced_calls", "saved_microcents"],
  key: ["optimization_id"],
  add: ["calls", "priced_calls", "saved_microcents"],
};

/** Counted anew, by today's prices: what an optimization saves follows from the calls since it was applied. */
export const effectConsumer: LedgerConsumer = {
  cursor: EFFECTS_CURSOR,
  async restart(db, engine) {
    await emptyTables(db, engine, ["optimization_effects"]);
    return LEDGER_START;
  },
};

/**
 * Adds up what optimizations do, from the ledger: a saving needs what was asked for beside what was sent, which only
 * the whole event has. Sums and cursor are one transaction. While nothing is applied it only moves along.
 */
export class EffectsFollower {
  readonly #cursor: LedgerCursor;
  readonly #following: Following;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly catalogue: Catalogue,
    private readonly options: {
      /** Repairs what was derived from another ledger. */
      readonly continuity?: LedgerContinuity;
      readonly onFault?: (fault: unknown) => void;
    } = {},
  ) {
    // The very first time nothing was applied before, so nothing of the past counts.
    this.#cursor = new LedgerCursor(database, EFFECTS_CURSOR, async () => {
      const newest = ledger.newestPosition();
      return (await hasAny(database.db)) ? LEDGER_START : newest;
    });
    this.#following = new Following(options.continuity ?? null, () => this.#cursor.forget());
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(
      signal,
      POLL_MS,
      () => this.catchUp(signal),
      fault => this.options.onFault?.(fault),
    );
  }

  catchUp(signal?: AbortSignal): Promise<void> {
    return this.#following.attempt(() => this.#catchUp(signal));
  }

  async #catchUp(signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true) {
      const place = await this.#cursor.place();
      // Before it is asked what is applied: a later event is looked at with whatever is applied by then.
      const newest = this.ledger.newestPosition();
      if (isSamePosition(place, newest)) return;
      if (await hasAny(this.database.db)) await this.#step();
      else this.#cursor.skipTo(this.ledger.readFrom(place, () => newest));
      await new Promise(resolve => setImmediate(resolve));
    }
  }

  #step(): Promise<void> {
    return this.#cursor.advance(async (transaction, from) => {
      const applied = await readApplied(transaction);
      const { events, to } = this.ledger.readFrom(from, place => {
        const { events, upTo } = this.ledger.wantedAfter(place.seq, EVENTS, (orgId, mode) =>
          applied.scopes.has(scopeName({ orgId, mode })),
        );
        return { events, to: this.ledger.positionAt(upTo) ?? place };
      });
      const effects = new Map<string, Effect>();
      for (const { event } of events) this.#count(event, applied.byAgent, effects);
      await upsertRows(
        transaction,
        this.database.engine,
        addEffects,
        [...effects].map(([id, effect]) => [id, effect.calls, effect.pricedCalls, effect.savedMicrocents]),
      );
      return { to, result: undefined };
    });
  }

  #count(event: Event, byAgent: ReadonlyMap<string, readonly Applied[]>, effects: Map<string, Effect>): void {
    // What is only reported has not passed through the gateway.
    if (event.source !== "gateway") return;
    const applied = byAgent.get(agentKey(event.mode, event.org_id, event.agent_key)) ?? [];
    const saving = switchedSaving(event, this.catalogue);
    const hasSwitched = saving.kind !== "unchanged";
    const switched = hasSwitched
      ? applied.find(
          one =>
            one.type === "model_switch" &&
            one.model === event.model &&
            isWithin(one, event.created_at, AFTERMATH_MS),
        )
      : undefined;
    const others = applied.filter(one => one.type !== "model_switch" && isWithin(one, event.created_at, 0));
    for (const { id } of switched ? [switched, ...others] : others) {
      const effect = effects.get(id) ?? { calls: 0, pricedCalls: 0, savedMicrocents: 0 };
      effects.set(id, effect);
      effect.calls++;
      if (id === switched?.id && saving.kind === "saved") {
        effect.pricedCalls++;
        effect.savedMicrocents += saving.microcents;
      }
    }
  }
}

async function hasAny(db: Kysely<ControlSchema>): Promise<boolean> {
  return (await db.selectFrom("optimizations").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** Of each agent, the latest first. */
async function readApplied(db: Kysely<ControlSchema>) {
  const rows = await db
    .selectFrom("optimizations")
    .select(["id", "org_id", "mode", "agent_key", "optimization_type", "payload", "applied_at", "undone_at"])
    .orderBy("applied_at", "desc")
    .orderBy("id", "desc")
    .execute();
  const byAgent = new Map<string, Applied[]>();
  const scopes = new Set<string>();
  for (const row of rows) {
    const { model } = readMetadata(row.payload);
    const applied: Applied = {
      id: row.id,
      type: row.optimization_type,
      model: typeof model === "string" ? model : null,
      appliedAt: row.applied_at,
      undoneAt: row.undone_at,
    };
    scopes.add(scopeName(toScope(row)));
    const key = agentKey(row.mode, row.org_id, row.agent_key);
    const others = byAgent.get(key);
    if (others) others.push(applied);
    else byAgent.set(key, [applied]);
  }
  return { byAgent, scopes };
}

function isWithin({ appliedAt, undoneAt }: Applied, at: number, aftermathMs: number): boolean {
  return at >= appliedAt && (undoneAt === null || at < undoneAt + aftermathMs);
}

function agentKey(mode: string, orgId: string, key: string): string {
  return `${mode} ${orgId} ${key}`;
}
