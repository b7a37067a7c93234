import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { FailureKind } from "../answer-conversation.ts";
import { magicInputs } from "../magic-inputs.ts";

export interface AnthropicProblem {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** Machine-readable: `error_code` tells a client what it can do. */
  readonly details?: JsonObject;
}

export const anthropicFailures: Readonly<Record<FailureKind, AnthropicProblem>> = {
  rate_limit: {
    status: magicInputs.rate_limit.status.anthropic,
    type: "rate_limit_error",
    message: "This request would exceed your organization's rate limit. Please try again later.",
  },
  overload: {
    status: magicInputs.overload.status.anthropic,
    type: "overloaded_error",
    message: "Overloaded",
  },
  internal: {
    status: magicInputs.error_after_200.status.anthropic,
    type: "api_error",
    message: "Internal server error",
  },
};

export function invalidRequest(message: string): AnthropicProblem {
  return { status: 400, type: "invalid_request_error", message };
}
