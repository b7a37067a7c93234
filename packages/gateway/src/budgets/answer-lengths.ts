import type { Length } from "@tollgate/core/budgets/estimate";
import { RecentLengths } from "@tollgate/core/budgets/recent-lengths";
import type { Event, Mode } from "@tollgate/core/event";
import type { RecentAnswer } from "@tollgate/storage/ledger/recent-events";

interface AnswerSource {
  recentAnswers(orgId: string, mode: Mode): RecentAnswer[];
}

/** Callers name agents freely, so an unbounded map could be used to exhaust memory. */
const MAX_HISTORIES = 5000;

/**
 * How long answers usually are, per agent and model. Learned from calls that a budget applies to; history from before
 * the first of them, or before a restart, is read from the ledger once.
 */
export class AnswerLengths {
  /** By organization and mode, agent, model: three nested lookups cost less than building one long key. */
  readonly #histories = { live: new Map<string, OfOrganization>(), test: new Map<string, OfOrganization>() };
  #kept = 0;
  readonly #read = { live: new Set<string>(), test: new Set<string>() };

  constructor(private readonly source: AnswerSource) {}

  /** The length of all choices together; null: not known yet. */
  usual(orgId: string, mode: Mode, agentKey: string, model: string): Length | null {
    if (!this.#read[mode].has(orgId)) this.#readRecent(orgId, mode);
    return this.#histories[mode].get(orgId)?.get(agentKey)?.get(model)?.usual ?? null;
  }

  /** An incomplete answer shows nothing about usual lengths. */
  learn(event: Event): void {
    if (event.status !== "success") return;
    this.#add(event.org_id, event.mode, event.agent_key, event.model, event.output_tokens);
  }

  #readRecent(orgId: string, mode: Mode): void {
    this.#read[mode].add(orgId);
    for (const { agent_key, model, output_tokens } of this.source.recentAnswers(orgId, mode)) {
      this.#add(orgId, mode, agent_key, model, output_tokens);
    }
  }

  #add(orgId: string, mode: Mode, agentKey: string, model: string, outputTokens: number): void {
    let history = this.#histories[mode].get(orgId)?.get(agentKey)?.get(model);
    if (history === undefined) {
      if (this.#kept >= MAX_HISTORIES) this.#forgetAll();
      history = new RecentLengths();
      const agents = getOrMake(
        this.#histories[mode],
        orgId,
        () => new Map<string, Map<string, RecentLengths>>(),
      );
      getOrMake(agents, agentKey, () => new Map<string, RecentLengths>()).set(model, history);
      this.#kept++;
    }
    history.add(outputTokens);
  }

  #forgetAll(): void {
    this.#kept = 0;
    for (const mode of ["live", "test"] as const) {
      this.#histories[mode].clear();
      this.#read[mode].clear();
    }
  }
}

type OfOrganization = Map<string, Map<string, RecentLengths>>;

function getOrMake<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
