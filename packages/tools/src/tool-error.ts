import { TollgateError } from "@tollgate/core/errors";
import { cleanText } from "@tollgate/core/wire/clean-text";
import { ClientError } from "@tollgate/sdk/client-error";

interface ToolErrorResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  isError: true;
}

interface Refusal {
  readonly status: number;
  readonly sentence: string;
  /** Public fields of the error's body. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The web API did not respond. */
export class Unreachable extends Error {
  constructor(
    readonly where: string,
    readonly wasWriting: boolean,
  ) {
    super(`the web API at ${where} cannot be reached`);
    this.name = "Unreachable";
  }
}

/**
 * The only place that turns a fault into a tool's result: a sentence with the next step, and a line of JSON for
 * programs. An unexpected fault reveals nothing internal.
 */
export function toolError(fault: unknown): ToolErrorResult {
  const refusal = refusalOf(fault);
  const facts = { status: refusal.status, ...factsOf(refusal) };
  const sentence = `Error ${refusal.status}: ${sentenceOf(refusal, fault)}`;
  return {
    content: [{ type: "text", text: `${sentence}\n${JSON.stringify(facts)}` }],
    isError: true,
    _meta: { "svc/error": facts },
  };
}

export function rateError(tool: string, retryAfterSeconds: number): ToolErrorResult {
  return toolError(
    new TollgateError("rate_limited", `${tool} was called more than 60 times within a minute.`, {
      retry_after: retryAfterSeconds,
    }),
  );
}

function refusalOf(fault: unknown): Refusal {
  if (fault instanceof TollgateError) {
    return { status: fault.status, sentence: fault.message, fields: fault.fields };
  }
  if (fault instanceof ClientError) {
    return { status: fault.status, sentence: fault.message, fields: fault.body };
  }
  if (fault instanceof Unreachable) return { status: 503, sentence: fault.message, fields: {} };
  return { status: 500, sentence: "the tool server had a fault", fields: {} };
}

function factsOf({ status, fields }: Refusal): Record<string, unknown> {
  if (status === 429) return { retryAfter: secondsIn(fields.retry_after) };
  const facts: Record<string, unknown> = {};
  for (const name of ["required_tier", "current_tier", "upgrade_url", "flag", "next_step"]) {
    const value = fields[name];
    if (typeof value === "string") facts[name] = cleanText(value, 300);
  }
  return facts;
}

function secondsIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? Math.max(1, Math.ceil(value)) : 60;
}

const backoff = "Retry with exponential backoff: wait 1 s, then 2 s, 4 s and so on, at most five times.";

function sentenceOf({ status, sentence, fields }: Refusal, fault: unknown): string {
  const message = withStop(cleanText(sentence, 500));
  if (fault instanceof Unreachable) {
    const writing = fault.wasWriting
      ? " The change may or may not have been made: read the current state before you retry."
      : "";
    return `${message}${writing} Check that the service is running and that SVC_API_URL is correct. ${backoff}`;
  }
  if (status >= 500) return `server error: ${message} ${backoff}`;
  switch (status) {
    case 400:
      return `${message} Nothing was changed; the same call will be refused again.`;
    case 401:
      return `the API key is invalid or expired. Ask the user for a valid key; do not retry with this one.`;
    case 402:
      return `${message} Do not retry: tell the user which tier is required.`;
    case 403:
      // A feature is turned off, and the message says how to turn it on.
      return typeof fields.next_step === "string" ? message : `insufficient permissions. ${message}`;
    case 404:
      // Off like in 403, and not an unknown id.
      if (typeof fields.next_step === "string") return `not found. ${message}`;
      return `not found. ${message} Use an id from a list: svc_list_agents, svc_get_budget_status, svc_get_alerts, svc_get_experiment_results.`;
    case 429:
      return `rate limited. ${message} Retry after ${secondsIn(fields.retry_after)} s.`;
    default:
      return message;
  }
}

function withStop(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
