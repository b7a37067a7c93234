import type { CanonicalError } from "@tollgate/providers/canonical/answer";
import { addProviderError, addSettled, answerHeaders } from "../answer/answer-headers.ts";
import type { AdmittedCall } from "../call/admitted-call.ts";
import { failedInStream } from "../call/call-result.ts";

/** The provider's error, which came with the status of a success. The client gets a status that says so. */
export async function relayFailure(
  admitted: AdmittedCall,
  upstream: Response,
  error: CanonicalError,
): Promise<Response> {
  const { call } = admitted;
  const event = await admitted.settle(failedInStream(admitted, upstream.status, error));
  const headers = answerHeaders(call, "application/json");
  addProviderError(headers, call.provider, upstream.headers, error);
  addSettled(headers, call, event);
  return new Response(call.endpoint.dialect.encodeError(error), { status: error.status, headers });
}
