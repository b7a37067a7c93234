import type { Event } from "@tollgate/core/event";
import type { Write } from "./group-commit.ts";

export interface StoredRateCard {
  readonly version: string;
  readonly card: string;
}

export interface Settlement {
  readonly event: Event;
  readonly cards: readonly StoredRateCard[];
}

/** The steps of every settlement in its group, created once. */
export interface SettlingSteps {
  append(settlement: Settlement): void;
  written(settlement: Settlement): void;
  postponed(settlement: Settlement, fault: unknown): void;
}

/** A class without closures, because one is created per call. */
export class Settling implements Write {
  constructor(
    private readonly steps: SettlingSteps,
    private readonly settlement: Settlement,
    private readonly settled: () => void = noop,
    private readonly resolve: (event: Event) => void = noop,
  ) {}

  apply(): void {
    this.steps.append(this.settlement);
  }

  done(): void {
    this.steps.written(this.settlement);
    this.#notify();
  }

  failed(fault: unknown): void {
    this.steps.postponed(this.settlement, fault);
    this.#notify();
  }

  #notify(): void {
    this.settled();
    this.resolve(this.settlement.event);
  }
}

function noop(): void {}
