import type { Scope } from "../ledger/scope.ts";

export interface BurstAnswer {
  readonly isAdmitted: boolean;
  /** Calls of all nodes in the last minute, with this one if it was admitted. */
  readonly used: number;
  /** Until there is room if the call was refused, otherwise until the oldest call leaves the window. */
  readonly waitMs: number;
  /** For how long all calls have been counted: younger than the window, it does not know all of them. */
  readonly ageMs: number;
}

/** Counts the calls of all nodes in a sliding minute. Rejects when it cannot be reached. */
export interface BurstCounter {
  /** `slot` is unique; a refused call takes none. */
  take(scope: Scope, slot: string, limit: number): Promise<BurstAnswer>;
  giveBack(scope: Scope, slot: string): Promise<void>;
  /** Connects anew, and resolves once the counter answers. */
  reconnect(): Promise<void>;
  disconnect(): void;
}
