import type { EventStatus, PairMark, PairResult } from "@tollgate/core/event";

/** How a call ended. */
export interface CallEnd {
  readonly status: EventStatus;
  readonly httpStatus: number | null;
}

/** What a verification makes a call for. */
export interface PairCall {
  readonly source: "shadow" | "judge";
  /** Without a result. */
  readonly mark: PairMark;
  /**
   * The pair's result, if this call decides it: it is part of the event, so a grade is on disk exactly when the call
   * that led to it is. `answer` is in the client's dialect; null: none arrived whole.
   */
  grade(end: CallEnd, answer: string | null): PairResult | null;
}
