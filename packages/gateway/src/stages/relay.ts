import { fail } from "@tollgate/core/errors";
import type { Attempt } from "../call/admitted-call.ts";
import { relayStream } from "./relay-stream.ts";
import { readAnswer, relayError, relayWhole } from "./relay-whole.ts";

/** Dispatches on the response head: an error, a stream or a whole answer. */
export function relay(attempt: Attempt, upstream: Response, request: Request): Promise<Response> {
  const { call } = attempt;
  if (upstream.status >= 400 && upstream.status < 600) return relayError(attempt, upstream);
  if (!upstream.ok) {
    throw fail("provider_invalid_answer", `${call.provider.id} answered with status ${upstream.status}`);
  }
  if (!call.summary.stream) return relayWhole(attempt, upstream, () => request.signal.aborted);
  const contentType = (upstream.headers.get("content-type") ?? "").toLowerCase();
  if (contentType.startsWith("text/event-stream")) return relayStream(attempt, upstream, request);
  return relayUnstreamed(attempt, upstream);
}

/** The answer to a stream request is not a stream. It may have been billed, so it is still metered. */
async function relayUnstreamed(attempt: Attempt, upstream: Response): Promise<Response> {
  const bytes = await readAnswer(attempt, upstream);
  try {
    attempt.call.exchange.readAnswer(new TextDecoder().decode(bytes), attempt.meter);
  } catch {
    // Not an answer (for example a proxy's error page): nothing to meter.
  }
  throw fail(
    "provider_invalid_answer",
    `${attempt.call.provider.id} answered a streamed call without a stream`,
  );
}
