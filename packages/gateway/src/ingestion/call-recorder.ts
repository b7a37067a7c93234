import { fail, TollgateError } from "@tollgate/core/errors";
import type { IngestedCall } from "@tollgate/core/ingestion-call";
import { describeFault } from "@tollgate/core/log";
import { type Microcents, saturated, ZERO_MICROCENTS } from "@tollgate/core/money";
import { monthOf } from "@tollgate/core/period";
import type { Caller } from "@tollgate/storage/control/directory";
import type { NewAgent } from "@tollgate/storage/ledger/ledger";
import type { Settlement } from "@tollgate/storage/ledger/settling";
import type { Gateway } from "../gateway.ts";
import { ingestedId } from "./ingested-id.ts";
import type { SeenAnswers } from "./seen-answers.ts";
import { type IngestionDoor, toSettlement } from "./to-settlement.ts";

/** What became of each call, in the order in which they came. */
export type Recorded = "accepted" | "duplicate" | { readonly error: string };

export interface Recording {
  readonly outcomes: readonly Recorded[];
  readonly cost: Microcents;
}

/** Rows a transaction: a large batch of spans must not hold up the calls behind it. */
const SLICE = 250;

/**
 * Turns ingested calls into events, each exactly once. Between the look-up and the write nothing waits, and what is
 * being written is known by its id: two equal requests at once both succeed, and there is one event.
 */
export class CallRecorder {
  readonly #beingWritten = new Map<string, Promise<void>>();

  constructor(
    private readonly gateway: Gateway,
    private readonly answers: SeenAnswers,
  ) {}

  async record(calls: readonly IngestedCall[], caller: Caller, door: IngestionDoor): Promise<Recording> {
    if (calls.some(({ responseId }) => responseId !== null)) await this.answers.catchUp();
    const outcomes: Recorded[] = [];
    let cost = ZERO_MICROCENTS;
    for (let from = 0; from < calls.length; from += SLICE) {
      // What is recorded stays recorded when the month ends within a request; sent again, it is a duplicate.
      if (from > 0) this.gateway.limits.checkMonth(caller, caller.limits, this.gateway.now());
      const recorded = await this.#recordSlice(calls.slice(from, from + SLICE), caller, door);
      outcomes.push(...recorded.outcomes);
      cost = saturated(cost + recorded.cost);
    }
    return { outcomes, cost };
  }

  async #recordSlice(
    calls: readonly IngestedCall[],
    caller: Caller,
    door: IngestionDoor,
  ): Promise<Recording> {
    const { gateway } = this;
    const now = gateway.now();
    const settlements = new Map<string, Settlement>();
    const newAgents = new Map<string, NewAgent>();
    const others = new Set<Promise<void>>();
    let cost = ZERO_MICROCENTS;

    const outcomes = calls.map((call): Recorded => {
      const id = call.identity ? ingestedId(caller.orgId, caller.mode, call.identity) : gateway.newId();
      const underWay = this.#beingWritten.get(id);
      if (underWay) others.add(underWay);
      if (underWay || settlements.has(id) || this.#isKnown(id, call, caller)) return "duplicate";
      try {
        if (gateway.agents.isNew(caller, call.agentKey, caller.limits)) {
          gateway.agents.remember(caller, call.agentKey);
          newAgents.set(call.agentKey, newAgent(caller, call.agentKey, now));
        }
      } catch (fault) {
        if (fault instanceof TollgateError) return { error: fault.message };
        throw fault;
      }
      const settlement = toSettlement(id, call, caller, door, gateway.catalogue);
      settlements.set(id, settlement);
      cost = saturated(cost + settlement.event.cost_microcents);
      return "accepted";
    });

    try {
      // What another request is writing must be on disk before we call it a duplicate.
      await Promise.all([
        this.#write([...settlements.values()], [...newAgents.values()], caller, now),
        ...others,
      ]);
    } catch (fault) {
      gateway.log("error", "the ledger cannot be written: nothing is ingested", describeFault(fault));
      throw fail("ingestion_unavailable", "nothing can be recorded at the moment; send it again");
    }
    return { outcomes, cost };
  }

  async #write(
    settlements: readonly Settlement[],
    newAgents: readonly NewAgent[],
    caller: Caller,
    now: number,
  ): Promise<void> {
    if (settlements.length === 0) return;
    const { gateway } = this;
    const month = monthOf(now);
    const ofThisMonth = settlements.filter(({ event }) => monthOf(event.created_at) === month).length;
    gateway.limits.takeIngested(caller, ofThisMonth, now);
    try {
      const written = gateway.ledger.ingest(settlements, newAgents);
      for (const { event } of settlements) this.#beingWritten.set(event.id, written);
      await written;
    } catch (fault) {
      for (let given = 0; given < ofThisMonth; given++) gateway.limits.giveBack(caller, now);
      for (const agent of newAgents) gateway.agents.forget(caller, agent.agent_key);
      throw fault;
    } finally {
      // Whatever happened: an id that stayed here would make everyone who sends it again a duplicate of nothing.
      for (const { event } of settlements) this.#beingWritten.delete(event.id);
    }
  }

  #isKnown(id: string, call: IngestedCall, { orgId, mode }: Caller): boolean {
    const { find } = this.gateway.ledger;
    if (call.identity && find.has(id)) return true;
    if (call.gatewayEventId !== null && find.hasGatewayCall(call.gatewayEventId, orgId, mode)) return true;
    return call.responseId !== null && this.answers.has(orgId, mode, call.responseId);
  }
}

function newAgent(caller: Caller, agentKey: string, now: number): NewAgent {
  return {
    id: crypto.randomUUID(),
    org_id: caller.orgId,
    mode: caller.mode,
    agent_key: agentKey,
    first_seen_at: now,
  };
}
