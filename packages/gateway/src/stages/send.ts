import type { AdmittedCall } from "../call/admitted-call.ts";
import type { Call } from "../call/call.ts";
import { unreachable } from "../call/unreachable.ts";
import type { Gateway } from "../gateway.ts";

/** Sends the call and resolves with the response head. A failure rejects with our own 502 or 504, not settled yet. */
export function send(admitted: AdmittedCall, gateway: Gateway): Promise<Response> {
  const { call } = admitted;
  admitted.watch.listen();
  // The client left while its call waited for admission: nothing is sent to the provider.
  if (admitted.signal?.aborted !== true) admitted.wasSent = true;
  const { path, body } = call.exchange.upstream;
  const init = {
    method: "POST",
    headers: outgoingHeaders(call),
    body,
    signal: admitted.signal,
    // A redirect would send the caller's key to an unconfigured address.
    redirect: "manual",
  } as const;
  const answering = gateway.transports[call.caller.mode](call.provider.id, path, init, call.caller.orgId);
  return answering.catch(fault => {
    if (isNeverConnected(fault)) admitted.wasSent = false;
    throw unreachable(admitted);
  });
}

/** Failures before the first byte of a request was written. With any other, the provider may have read all of it. */
const neverConnected: ReadonlySet<unknown> = new Set([
  "ConnectionRefused",
  "ECONNREFUSED",
  "FailedToOpenSocket",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  // This machine has no file descriptor or no port left for a connection.
  "EMFILE",
  "ENFILE",
  "EADDRNOTAVAIL",
  "DNSException",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

function isNeverConnected(fault: unknown): boolean {
  return fault instanceof Error && "code" in fault && neverConnected.has(fault.code);
}

/** Only the client headers that the provider lists are forwarded, and never the service key. */
function outgoingHeaders(call: Call): Record<string, string> {
  const headers: Record<string, string> = {
    accept: call.summary.stream ? "text/event-stream" : "application/json",
    "accept-encoding": "identity",
    "user-agent": "tollgate",
  };
  // Name by name: spreading costs several times as much.
  const credential = call.provider.credential(call.providerKey);
  for (const name in credential) headers[name] = credential[name] ?? "";
  const { headers: more } = call.exchange.upstream;
  for (const name in more) headers[name] = more[name] ?? "";
  if (call.exchange.isNative) {
    for (const name of call.provider.forwardedHeaders) {
      const value = call.clientHeaders.get(name);
      if (value !== null) headers[name] = value;
    }
  }
  // The provider's span belongs to the client's trace, in every dialect.
  if (call.traceparent !== null) headers.traceparent = call.traceparent;
  return headers;
}
