import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { FailureKind } from "../answer-conversation.ts";
import { magicInputs, RETRY_AFTER_SECONDS } from "../magic-inputs.ts";
import { indentedGoogleJson } from "./google-json.ts";

export interface GoogleProblem {
  readonly code: number;
  readonly message: string;
  readonly status: string;
  readonly details?: readonly JsonObject[];
}

/** The delay is in the body (`RetryInfo`); Google sends no `retry-after`. */
export const googleFailures: Readonly<Record<FailureKind, GoogleProblem>> = {
  rate_limit: {
    code: magicInputs.rate_limit.status.google,
    message: `You exceeded your current quota. Please retry in ${RETRY_AFTER_SECONDS}s.`,
    status: "RESOURCE_EXHAUSTED",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [
          {
            quotaMetric: "generativelanguage.googleapis.com/generate_content_requests",
            quotaId: "GenerateRequestsPerMinutePerProjectPerModel",
          },
        ],
      },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${RETRY_AFTER_SECONDS}s` },
    ],
  },
  overload: {
    code: magicInputs.overload.status.google,
    message: "The model is overloaded. Please try again later.",
    status: "UNAVAILABLE",
  },
  internal: {
    code: magicInputs.error_after_200.status.google,
    message: "An internal error has occurred.",
    status: "INTERNAL",
  },
};

export const badKey: GoogleProblem = {
  code: 400,
  message: "API key not valid. Please pass a valid API key.",
  status: "INVALID_ARGUMENT",
  details: [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "API_KEY_INVALID",
      domain: "googleapis.com",
      metadata: { service: "generativelanguage.googleapis.com" },
    },
    {
      "@type": "type.googleapis.com/google.rpc.LocalizedMessage",
      locale: "en-US",
      message: "API key not valid. Please pass a valid API key.",
    },
  ],
};

export function invalidArgument(message: string): GoogleProblem {
  return { code: 400, message, status: "INVALID_ARGUMENT" };
}

export function unknownField(name: string, place: string): GoogleProblem {
  const at = place === "" ? "" : ` at '${place}'`;
  const description = `Invalid JSON payload received. Unknown name "${name}"${at}: Cannot find field.`;
  return {
    ...invalidArgument(description),
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ ...(place === "" ? {} : { field: place }), description }],
      },
    ],
  };
}

export function googleError(problem: GoogleProblem, headers: Readonly<Record<string, string>>): Response {
  return new Response(indentedGoogleJson({ error: problem }), { status: problem.code, headers });
}
