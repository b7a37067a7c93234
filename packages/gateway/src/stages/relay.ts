import { fail } from "@tollgate/core/errors";
import type { AdmittedCall } from "../call/admitted-call.ts";
import { meterFrames } from "../call/meter-frames.ts";
import { relayFailure } from "./relay-failure.ts";
import { relayStream } from "./relay-stream.ts";
import { readAnswer, relayError, relayWhole } from "./relay-whole.ts";

/** Dispatches on the response head: an error, a stream or a whole answer. */
export function relay(admitted: AdmittedCall, upstream: Response, request: Request): Promise<Response> {
  const { call } = admitted;
  admitted.meter.readHead?.(upstream.headers);
  if (upstream.status >= 400 && upstream.status < 600) return relayError(admitted, upstream);
  if (!upstream.ok) {
    throw fail("provider_invalid_answer", `${call.provider.id} answered with status ${upstream.status}`);
  }
  if (!call.summary.stream) return relayWhole(admitted, upstream, () => request.signal.aborted);
  const contentType = (upstream.headers.get("content-type") ?? "").toLowerCase();
  if (contentType.startsWith("text/event-stream")) return relayStream(admitted, upstream, request);
  return relayUnstreamed(admitted, upstream);
}

/** The answer to a stream request is not a stream. It may have been billed, so it is still metered. */
async function relayUnstreamed(admitted: AdmittedCall, upstream: Response): Promise<Response> {
  const bytes = await readAnswer(admitted, upstream);
  const { meter } = admitted;
  try {
    admitted.call.exchange.readAnswer(new TextDecoder().decode(bytes), meter);
  } catch {
    // A stream under another content type, or no answer at all (for example a proxy's error page).
    meterFrames(admitted, bytes);
  }
  const error = meter.failure?.() ?? null;
  if (error !== null) return relayFailure(admitted, upstream, error);
  throw fail(
    "provider_invalid_answer",
    `${admitted.call.provider.id} answered a streamed call without a stream`,
  );
}
