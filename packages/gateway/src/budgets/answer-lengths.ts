import type { Length } from "@tollgate/core/budget-estimate";
import { BudgetHistory } from "@tollgate/core/budget-history";
import type { Event, Mode } from "@tollgate/core/event";
import type { RecentAnswer } from "@tollgate/storage/ledger/recent-events";

interface AnswerSource {
  recentAnswers(orgId: string, mode: Mode): RecentAnswer[];
}

/** Agents are named by callers: without a bound, inventing names would fill the memory. */
const MAX_KEPT = 5000;

/**
 * How long answers usually are, for each agent and model. Learned from calls that a budget applies to; what came
 * before the first of them, or before a restart, is read from the ledger once.
 */
export class AnswerLengths {
  readonly #histories = new Map<string, BudgetHistory>();
  readonly #read = { live: new Set<string>(), test: new Set<string>() };

  constructor(private readonly source: AnswerSource) {}

  /** All choices together; null: not known yet. */
  usual(orgId: string, mode: Mode, agentKey: string, model: string): Length | null {
    if (!this.#read[mode].has(orgId)) this.#readRecent(orgId, mode);
    return this.#histories.get(keyOf(orgId, mode, agentKey, model))?.length ?? null;
  }

  /** What broke off says nothing of how long an answer is. */
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
    const key = keyOf(orgId, mode, agentKey, model);
    let history = this.#histories.get(key);
    if (history === undefined) {
      if (this.#histories.size >= MAX_KEPT) {
        this.#histories.clear();
        this.#read.live.clear();
        this.#read.test.clear();
      }
      history = new BudgetHistory();
      this.#histories.set(key, history);
    }
    history.add(outputTokens);
  }
}

function keyOf(orgId: string, mode: Mode, agentKey: string, model: string): string {
  return `${orgId} ${mode} ${agentKey} ${model}`;
}
