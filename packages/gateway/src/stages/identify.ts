import { DEFAULT_AGENT } from "@tollgate/core/agents/default-agent";
import { fail } from "@tollgate/core/errors";
import { CALLER_ID_RULE, isCallerId } from "@tollgate/core/wire/caller-id";
import { isTraceparent } from "@tollgate/core/wire/traceparent";
import type { Gateway } from "../gateway.ts";
import { authenticate } from "../request/authenticate.ts";
import { decodeHeaderText } from "../request/decode-header-text.ts";
import { readProviderKey, refuseServiceKeys } from "../request/provider-keys.ts";
import type { Identified } from "../request/routed.ts";

/** The caller, and the call's tags from its headers. */
export function identify(headers: Headers, gateway: Gateway, sessionHeaders: readonly string[]): Identified {
  const caller = authenticate(headers, gateway);
  if (caller.permission !== "write") {
    throw fail("insufficient_scope", "this API key may only read; calls need a key with scope write");
  }
  refuseServiceKeys(headers);
  return {
    caller,
    providerKey: readProviderKey(headers),
    agentKey: readId(headers, "x-agent-id") ?? DEFAULT_AGENT,
    sessionId: readId(headers, "x-session-id") ?? readOwnSession(headers, sessionHeaders),
    customerId: readId(headers, "x-customer-id"),
    configVersion: readConfigVersion(headers),
    traceparent: readTraceparent(headers),
    pair: null,
  };
}

/** Sent by the client program, not by its user: an invalid value is ignored, not refused. */
function readOwnSession(headers: Headers, names: readonly string[]): string | null {
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null && ownSession.test(value)) return value;
  }
  return null;
}

/** The session ids that these clients generate. */
const ownSession = /^[\w.:@/-]{1,256}$/;

/** W3C Trace Context requires an invalid value to be ignored. */
function readTraceparent(headers: Headers): string | null {
  const value = headers.get("traceparent");
  return value !== null && isTraceparent(value) ? value : null;
}

function readId(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  return value === null ? null : toId(value, name);
}

/** An empty value is null, as in events and telemetry. */
function readConfigVersion(headers: Headers): string | null {
  const value = headers.get("x-config-version");
  return value === null || value === "" ? null : toId(value, "x-config-version");
}

function toId(value: string, name: string): string {
  const id = decodeHeaderText(value);
  if (!isCallerId(id)) throw fail("invalid_header", `${name} ${CALLER_ID_RULE}`);
  return id;
}
