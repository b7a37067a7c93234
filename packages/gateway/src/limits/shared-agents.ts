import type {
  AgentAnswer,
  AgentRequest,
  AgentSlot,
  QuotaBank,
} from "@tollgate/storage/shared-ledger/quota-bank";
import { answerInTime } from "./answer-in-time.ts";

/** How long a call with a new agent waits at most; then the gateway decides by the agents that it knows. */
const PATIENCE_MS = 250;
const FAULT_RETRY_MS = 1000;

/** The agents of all gateways, registered in PostgreSQL: a call waits for it only if its agent is new to this gateway. */
export class SharedAgents {
  #isCutOff = false;
  #askAgainAtMs = 0;

  constructor(
    private readonly bank: Pick<QuotaBank, "registerAgent" | "withdrawAgent">,
    private readonly onFault: (fault: unknown) => void,
    /** Monotonic. */
    private readonly uptimeMs: () => number,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** null: nobody answers. */
  async register(request: AgentRequest): Promise<AgentAnswer | null> {
    if (this.uptimeMs() < this.#askAgainAtMs) return null;
    try {
      const answer = await answerInTime(this.bank.registerAgent(request), this.patienceMs);
      if (answer === null) throw new Error("PostgreSQL answers too late");
      this.#isCutOff = false;
      return answer;
    } catch (fault) {
      this.#lose(fault);
      return null;
    }
  }

  withdraw(slot: AgentSlot): void {
    // If it fails, the slot is free again after an hour.
    this.bank.withdrawAgent(slot).catch(fault => this.#lose(fault));
  }

  #lose(fault: unknown): void {
    if (!this.#isCutOff) this.onFault(fault);
    this.#isCutOff = true;
    this.#askAgainAtMs = this.uptimeMs() + FAULT_RETRY_MS;
  }
}
