import type { Agents, Owner } from "./agents.ts";
import type { CallLimits, SharedGrants } from "./call-limits.ts";
import type { BurstGrant } from "./shared-burst.ts";
import type { MonthReservation } from "./shared-months.ts";

interface Parts {
  readonly limits: CallLimits;
  readonly agents: Agents;
  readonly now: () => number;
}

/**
 * A call's part of the limits that several gateways share. Most calls get it without waiting. They take no promise or
 * closure, which would cost more than the rest of their admission.
 */
export class CallGrants implements SharedGrants {
  #burst: BurstGrant | null = null;
  #month: MonthReservation | null = null;
  #hasAskedForAgent = false;

  constructor(
    private readonly caller: Owner,
    private readonly agentKey: string,
    private readonly parts: Parts,
  ) {}

  get burst(): BurstGrant | null {
    return this.#burst;
  }

  get month(): MonthReservation | null {
    return this.#month;
  }

  /** null: granted without waiting. Rejects with 429 or 402. */
  ask(): Promise<void> | null {
    const { limits, now } = this.parts;
    const burst = limits.askForBurst(this.caller, now);
    return burst === null ? this.#askForMonth() : this.#askAfter(burst);
  }

  async #askAfter(burst: Promise<BurstGrant>): Promise<void> {
    this.#burst = await burst;
    await this.#askForMonth();
  }

  #askForMonth(): Promise<void> | null {
    const { limits, now } = this.parts;
    const month = limits.askForMonth(this.caller, now);
    if (month instanceof Promise) return this.#registerAfter(month);
    this.#month = month;
    return this.#register();
  }

  async #registerAfter(month: Promise<MonthReservation>): Promise<void> {
    this.#month = await month;
    await this.#register();
  }

  #register(): Promise<void> | null {
    this.#hasAskedForAgent = true;
    return this.parts.agents.register(this.caller, this.agentKey);
  }

  refused(): void {
    this.#burst?.giveBack();
    if (this.#hasAskedForAgent) this.parts.agents.withdraw(this.caller, this.agentKey);
    this.#month?.release();
  }
}
