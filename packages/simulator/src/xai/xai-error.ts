import type { FailureKind } from "../answer-conversation.ts";
import { magicInputs } from "../magic-inputs.ts";

/** xAI's own shape: `error` is the message itself, not an object. */
export interface XaiProblem {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

export const xaiFailures: Readonly<Record<FailureKind, XaiProblem>> = {
  rate_limit: {
    status: magicInputs.rate_limit.status.xai,
    code: "resource-exhausted",
    error: "Too many requests for this team and model. Please try again later.",
  },
  overload: {
    status: magicInputs.overload.status.xai,
    code: "unavailable",
    error: "The service is currently unavailable. Please try again later.",
  },
  internal: {
    status: magicInputs.error_after_200.status.xai,
    code: "internal",
    error: "An internal error occurred while the request was served.",
  },
};

export function xaiErrorBody(problem: XaiProblem): string {
  return JSON.stringify({ code: problem.code, error: problem.error });
}
