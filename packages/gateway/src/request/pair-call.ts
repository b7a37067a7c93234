import type { EventStatus, PairMark, PairResult } from "@tollgate/core/event";

/** How a call ended. */
export interface CallEnd {
  readonly status: EventStatus;
  readonly httpStatus: number | null;
}

/** Why a verification makes a call. */
export interface PairCall {
  readonly source: "shadow" | "judge";
  /** Without a result. */
  readonly mark: PairMark;
  /**
   * The pair's result, if this call decides it: it is part of the event, so a grade is on disk if and only if its call
   * is. `answer` is in the client's dialect; null: none arrived completely.
   */
  grade(end: CallEnd, answer: string | null): PairResult | null;
}
