import { historyStart } from "@tollgate/core/limits/history-window";
import type { Tier } from "@tollgate/core/limits/tiers";
import { eventAtOrBefore, seqOfEvent } from "@tollgate/core/live/live-seq";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { LedgerReader, SequencedEvent } from "@tollgate/storage/ledger/ledger-reader";
import type { Scope } from "@tollgate/storage/ledger/scope";
import { isUnpriced } from "@tollgate/storage/read-model/is-unpriced";
import type { LiveSeeds } from "@tollgate/storage/read-model/reading/live-seeds";
import { type AlertRow, toAlert } from "../alerts/to-alert.ts";
import { toListedEvent } from "../events/to-listed-event.ts";
import type { AudienceAgents } from "./audience-agents.ts";
import type { LiveCursors } from "./live-cursors.ts";
import type { LogMessage, LogPage } from "./log-page.ts";

interface LogReaderParts {
  readonly db: ControlDb;
  readonly ledger: LedgerReader;
  readonly seeds: LiveSeeds;
  readonly scope: Scope;
  readonly agents: AudienceAgents;
  readonly cursors: LiveCursors;
  readonly now: () => number;
  readonly tier: () => Tier;
}

const MESSAGES_PER_PAGE = 200;
/** Events of all organizations: the ledger has no index by scope. */
const EVENTS_PER_PAGE = 2000;

/** Formats the log messages of one scope, and reads missed ones from the ledger. */
export class LogReader {
  constructor(private readonly parts: LogReaderParts) {}

  /** null: older than the tier's history. `adjustment`: the sum of its reratings; absent if there was none. */
  eventMessage({ seq, event }: SequencedEvent, adjustment?: number): LogMessage | null {
    const { agents, now, tier } = this.parts;
    const agentId = agents.idOf(event.agent_key);
    if (event.created_at < historyStart(tier(), now())) return null;
    const ids = new Map(agentId === null ? [] : [[event.agent_key, agentId]]);
    const data = toListedEvent(
      {
        position: { at: event.created_at, seq },
        event,
        adjustment_microcents: adjustment ?? 0,
        is_unpriced: isUnpriced(event) && adjustment === undefined,
      },
      ids,
    );
    const position = seqOfEvent(seq);
    return message("events", position, this.parts.cursors.sealEvent(position, event.id), data);
  }

  alertMessage(row: AlertRow, seq: number): LogMessage {
    return message("alerts", seq, this.parts.cursors.seal(seq), toAlert(row, []));
  }

  /** Messages after `position`, in order, up to `published`; newer ones are sent when they are published. */
  async page(
    position: number,
    published: number,
    wants: { readonly events: boolean; readonly alerts: boolean },
  ): Promise<LogPage> {
    const from = eventAtOrBefore(position);
    const at = eventAtOrBefore(published);
    const end = wants.events ? Math.min(at, from + EVENTS_PER_PAGE) : at;
    const { ledger, seeds, scope } = this.parts;
    const events = wants.events ? ledger.ofScope(scope.orgId, scope.mode, from, end, MESSAGES_PER_PAGE) : [];
    const lastEvent = events.length === MESSAGES_PER_PAGE ? events.at(-1) : undefined;
    // Up to an event, or up to just before the next one, because alerts are numbered between events.
    const last = lastEvent === undefined ? seqOfEvent(end + 1) - 1 : seqOfEvent(lastEvent.seq);
    let upTo = Math.min(last, published);
    const alerts = wants.alerts ? await this.#alerts(position, upTo) : [];
    if (alerts.length === MESSAGES_PER_PAGE) upTo = alerts.at(-1)?.live_seq ?? upTo;
    const adjustments = await seeds.adjustments(events.map(({ event }) => event.id));
    const messages = [
      ...events.flatMap(listed => this.eventMessage(listed, adjustments.get(listed.event.id)) ?? []),
      ...alerts.map(row => this.alertMessage(row, row.live_seq ?? 0)),
    ]
      .filter(({ seq }) => seq <= upTo)
      .sort((a, b) => a.seq - b.seq);
    return { messages, upTo };
  }

  #alerts(after: number, upTo: number): Promise<AlertRow[]> {
    const { db, scope, now, tier } = this.parts;
    return db
      .selectFrom("alerts")
      .selectAll()
      .where(inScope(scope))
      .where("live_seq", ">", after)
      .where("live_seq", "<=", upTo)
      .where("triggered_at", ">=", historyStart(tier(), now()))
      .orderBy("live_seq")
      .limit(MESSAGES_PER_PAGE)
      .execute();
  }
}

function message(channel: LogMessage["channel"], seq: number, cursor: string, data: unknown): LogMessage {
  return { channel, seq, text: JSON.stringify({ channel, seq: cursor, data }) };
}
