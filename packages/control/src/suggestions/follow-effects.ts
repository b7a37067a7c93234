import type { Event } from "@tollgate/core/event";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { switchedSaving } from "@tollgate/core/suggestions/switched-saving";
import type { ControlDatabase } from "@tollgate/storage/control/open-control-database";
import type { ControlSchema } from "@tollgate/storage/control/schema";
import { type Upsert, upsertRows } from "@tollgate/storage/engine/upsert-rows";
import { withoutSync } from "@tollgate/storage/engine/without-sync";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { scopeName } from "@tollgate/storage/read-model/scope-name";
import { toScope } from "@tollgate/storage/read-model/to-scope";
import { repeatUntil } from "@tollgate/storage/repeat-until";
import type { Kysely } from "kysely";
import { readMetadata } from "../operations/read-metadata.ts";

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

/**
 * Adds up what optimizations do, from the ledger: a saving needs what was asked for beside what was sent, which only
 * the whole event has. Sums and cursor are one transaction. While nothing is applied it only moves along.
 */
export class EffectsFollower {
  #cursor: number | null = null;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly catalogue: Catalogue,
    private readonly options: { readonly onFault?: (fault: unknown) => void } = {},
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(
      signal,
      POLL_MS,
      () => this.catchUp(),
      fault => {
        this.#cursor = null;
        this.options.onFault?.(fault);
      },
    );
  }

  async catchUp(): Promise<void> {
    this.#cursor ??= await this.#begin();
    for (;;) {
      // Before it is asked what is applied: a later event is looked at with whatever is applied by then.
      const newest = this.ledger.newestSeq();
      if (newest <= this.#cursor) return;
      this.#cursor = (await hasAny(this.database.db)) ? await this.#step() : newest;
      await new Promise(resolve => setImmediate(resolve));
    }
  }

  /** The very first time: nothing was applied before, so nothing of the past counts. */
  async #begin(): Promise<number> {
    const { db } = this.database;
    const newest = this.ledger.newestSeq();
    const isFresh = !(await hasAny(db));
    await db
      .insertInto("cursors")
      .values({ name: EFFECTS_CURSOR, position: isFresh ? newest : 0 })
      .onConflict(conflict => conflict.doNothing())
      .execute();
    return this.#readCursor(db);
  }

  async #step(): Promise<number> {
    return withoutSync(this.database, db =>
      db.transaction().execute(async transaction => {
        const stored = await this.#readCursor(transaction, "locked");
        const from = Math.max(stored, this.#cursor ?? 0);
        const applied = await readApplied(transaction);
        const { events, upTo } = this.ledger.wantedAfter(from, EVENTS, (orgId, mode) =>
          applied.scopes.has(scopeName({ orgId, mode })),
        );
        const effects = new Map<string, Effect>();
        for (const { event } of events) this.#count(event, applied.byAgent, effects);
        await upsertRows(
          transaction,
          this.database.engine,
          addEffects,
          [...effects].map(([id, effect]) => [id, effect.calls, effect.pricedCalls, effect.savedMicrocents]),
        );
        await transaction
          .updateTable("cursors")
          .set({ position: upTo })
          .where("name", "=", EFFECTS_CURSOR)
          .execute();
        return upTo;
      }),
    );
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

  async #readCursor(db: Kysely<ControlSchema>, how?: "locked"): Promise<number> {
    const query = db.selectFrom("cursors").select("position").where("name", "=", EFFECTS_CURSOR);
    const isLocked = how === "locked" && this.database.engine === "postgres";
    return (await (isLocked ? query.forUpdate() : query).executeTakeFirst())?.position ?? 0;
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
