import { isVerification } from "@tollgate/core/event";
import { costKinds } from "@tollgate/core/money/cost-kinds";
import type { CostByKind } from "@tollgate/core/pricing/split-cost";
import { adjustedUpTo } from "../../database/adjusted-up-to.ts";
import { type CostKindColumn, costKindColumns } from "../../database/cost-kind-columns.ts";
import { readHistory } from "../../database/history.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import type { EventSummary } from "../../ledger/event-parts.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { sourceCodes } from "../../ledger/source-codes.ts";
import { statusCodes } from "../../ledger/status-codes.ts";
import { storableEvent, storableName } from "../../ledger/storable-name.ts";
import { isUnpriced } from "../is-unpriced.ts";
import { costSplitter } from "./event-cost-kinds.ts";
import { fallbackAgentId } from "./known-ids.ts";

const BATCH = 2000;

/** A fact, with names instead of ids. */
interface NamedFact extends Readonly<Record<CostKindColumn, number>> {
  readonly seq: number;
  readonly org_id: string | null;
  readonly mode: string | null;
  readonly created_at: number;
  readonly agent_key: string | null;
  readonly agent_id: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly status: number;
  readonly session_id: string | null;
  readonly customer_id: string | null;
  readonly config_version: string | null;
  readonly key_id: string | null;
  readonly latency_ms: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
  readonly unpriced: number;
  readonly source: number;
}

/** Compares every fact with its event and the event's adjustments. */
export async function verifyFacts(
  db: ControlDb,
  engine: Engine,
  ledger: LedgerReader,
  upTo: {
    readonly events: number;
    readonly adjustments: number;
    /** The event up to which unpriced calls are counted. */
    readonly unpriced: number;
    /** The event up to which facts have their source and kinds of cost. */
    readonly complete: number;
  },
  report: (difference: string) => void,
): Promise<void> {
  if (upTo.events > ledger.newestSeq())
    report(`the read model is at event ${upTo.events}, which is not in the ledger`);
  const agents = new Map<string, string>();
  for (const row of ledger.agents()) {
    agents.set(nameOf({ ...row, agent_key: storableName(row.agent_key) }), row.id);
  }
  const agentIdOf = (event: EventSummary) => agents.get(nameOf(event)) ?? fallbackAgentId(event);
  const split = costSplitter(ledger);
  const { beginsAtMs } = await readHistory(db);
  let after = 0;
  for (;;) {
    const events = ledger
      .countedAfter(after, BATCH)
      .filter(({ seq }) => seq <= upTo.events)
      .map(storableEvent);
    // The last range has no end, so a fact beyond the cursor is found too.
    const last = events.length === 0 ? Number.MAX_SAFE_INTEGER : (events.at(-1)?.seq ?? after);
    const facts = new Map((await namedFacts(db, after, last)).map(fact => [fact.seq, fact]));
    const adjusted = await adjustedUpTo(
      db,
      engine,
      upTo.adjustments,
      events.map(({ id }) => id),
    );
    for (const event of events) {
      const fact = facts.get(event.seq);
      facts.delete(event.seq);
      // Removed by retention, or about to be.
      if (event.created_at < beginsAtMs) continue;
      const adjustment = adjusted.get(event.id);
      const made = expectedFact(event, agentIdOf(event), adjustment, split(event, adjustment));
      const counted = event.seq <= upTo.unpriced ? made : { ...made, unpriced: fact?.unpriced ?? 0 };
      const isIncomplete = event.seq > upTo.complete && fact?.source === 0;
      // A wrong cost has wrong kinds, which need no report of their own.
      const hasOwnKinds = isIncomplete || fact?.cost_microcents !== counted.cost_microcents;
      const expected = {
        ...counted,
        ...(fact !== undefined && hasOwnKinds ? storedKinds(fact) : {}),
        ...(isIncomplete ? { source: 0 } : {}),
      };
      if (fact === undefined) report(`facts: event ${event.id} (seq ${event.seq}) is missing`);
      else for (const text of differences(fact, expected)) report(`facts: event ${event.id}: ${text}`);
    }
    for (const seq of facts.keys()) report(`facts: seq ${seq} is not in the ledger`);
    if (events.length === 0) return;
    after = last;
  }
}

/**
 * Whether the fact at this event's seq matches the event; null: there is none. A rerating may have changed its cost.
 */
export async function isFactOf(db: ControlDb, event: EventSummary): Promise<boolean | null> {
  const [fact] = await namedFacts(db, event.seq - 1, event.seq);
  if (fact === undefined) return null;
  const { agent_id, cost_microcents, unpriced, source } = fact;
  const expected = {
    ...expectedFact(storableEvent(event), "", 0, {}),
    agent_id,
    cost_microcents,
    unpriced,
    source,
    ...storedKinds(fact),
  };
  return differences(fact, expected).length === 0;
}

/** `adjustment` is undefined if the event was never rerated. */
function expectedFact(
  event: EventSummary,
  agentId: string,
  adjustment: number | undefined,
  costByKind: CostByKind,
): NamedFact {
  const isOfAgent = !isVerification(event.source);
  return {
    seq: event.seq,
    org_id: event.org_id,
    mode: event.mode,
    created_at: event.created_at,
    agent_key: isOfAgent ? event.agent_key : null,
    agent_id: isOfAgent ? agentId : null,
    provider: event.provider,
    model: event.model,
    status: statusCodes[event.status],
    session_id: event.session_id,
    customer_id: event.customer_id,
    config_version: event.config_version,
    key_id: event.key_id,
    latency_ms: event.latency_ms,
    input_tokens: event.input_tokens,
    output_tokens: event.output_tokens,
    cost_microcents: event.cost_microcents + (adjustment ?? 0),
    unpriced: isUnpriced(event) && adjustment === undefined ? 1 : 0,
    source: sourceCodes[event.source],
    ...kindsOf(costByKind),
  };
}

function kindsOf(costByKind: CostByKind): Record<CostKindColumn, number> {
  // One entry for every column.
  return Object.fromEntries(costKinds.map(kind => [`${kind}_microcents`, costByKind[kind] ?? 0])) as Record<
    CostKindColumn,
    number
  >;
}

function storedKinds(fact: NamedFact): Partial<Record<CostKindColumn, number>> {
  return Object.fromEntries(costKindColumns.map(column => [column, fact[column]]));
}

function differences(fact: NamedFact, expected: NamedFact): string[] {
  const found: string[] = [];
  for (const column in expected) {
    const key = column as keyof NamedFact;
    if (fact[key] !== expected[key]) found.push(`${key} is ${fact[key]}, but in the ledger ${expected[key]}`);
  }
  return found;
}

async function namedFacts(db: ControlDb, after: number, upTo: number): Promise<readonly NamedFact[]> {
  return db
    .selectFrom("facts as f")
    .leftJoin("scopes as o", "o.id", "f.scope")
    .leftJoin("agents as a", join => join.onRef("a.id", "=", "f.agent").onRef("a.scope", "=", "f.scope"))
    .leftJoin("models as m", "m.id", "f.model")
    .leftJoin("sessions as s", join => join.onRef("s.id", "=", "f.session").onRef("s.scope", "=", "f.scope"))
    .leftJoin("customers as c", join =>
      join.onRef("c.id", "=", "f.customer").onRef("c.scope", "=", "f.scope"),
    )
    .leftJoin("config_versions as v", join =>
      join.onRef("v.id", "=", "f.config_version").onRef("v.scope", "=", "f.scope"),
    )
    .leftJoin("used_keys as k", join =>
      join.onRef("k.id", "=", "f.used_key").onRef("k.scope", "=", "f.scope"),
    )
    .select([
      "f.seq",
      "o.org_id",
      "o.mode",
      "f.created_at",
      "a.agent_key",
      "a.agent_id",
      "m.provider",
      "m.model",
      "f.status",
      "s.session_id",
      "c.customer_id",
      "v.config_version",
      "k.key_id",
      "f.latency_ms",
      "f.input_tokens",
      "f.output_tokens",
      "f.cost_microcents",
      "f.unpriced",
      "f.source",
    ])
    .select(costKindColumns.map(column => `f.${column}` as const))
    .where("f.seq", ">", after)
    .where("f.seq", "<=", upTo)
    .execute();
}

function nameOf(agent: {
  readonly org_id: string;
  readonly mode: string;
  readonly agent_key: string;
}): string {
  return JSON.stringify([agent.org_id, agent.mode, agent.agent_key]);
}
