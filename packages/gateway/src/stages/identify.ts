import { fail, type TollgateError } from "@tollgate/core/errors";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { apiKeyIn } from "@tollgate/core/wire/api-key-header";
import { CALLER_ID_RULE, isCallerId } from "@tollgate/core/wire/caller-id";
import { hasTwoHosts } from "@tollgate/core/wire/has-two-hosts";
import { isTraceparent } from "@tollgate/core/wire/traceparent";
import { digestOf, looksLikeServiceKey } from "@tollgate/storage/config/api-key";
import type { Caller } from "@tollgate/storage/config/directory";
import type { Identified } from "../call/call.ts";
import type { Gateway } from "../gateway.ts";
import { decodeHeaderText } from "../request/decode-header-text.ts";

/** Who calls. Anthropic's clients send the key as `x-api-key`, all others as a bearer. */
export function authenticate(headers: Headers, gateway: Gateway): Caller {
  const key = apiKeyIn(headers);
  if (!key) throw fail("missing_api_key", "missing API key: send it as Authorization: Bearer <API_KEY>");
  const caller = gateway.directory.findByDigest(digestOf(key), gateway.now());
  if (!caller) throw fail("invalid_api_key", "Invalid API key");
  if (caller.status !== "active") {
    throw fail("organization_inactive", `the organization of this API key is ${caller.status}`);
  }
  return caller;
}

export function refuseTwoHosts(headers: Headers): void {
  if (hasTwoHosts(headers)) throw fail("invalid_request", "the Host header is not valid");
}

/** Who calls, and everything the headers say about the call. */
export function identify(headers: Headers, gateway: Gateway, sessionHeaders: readonly string[]): Identified {
  const caller = authenticate(headers, gateway);
  if (caller.scope !== "write") {
    throw fail("insufficient_scope", "this API key may only read; calls need a key of scope write");
  }
  refuseServiceKeys(headers);
  return {
    caller,
    providerKey: readProviderKey(headers),
    agentKey: readId(headers, "x-agent-id") ?? "default",
    sessionId: readId(headers, "x-session-id") ?? readOwnSession(headers, sessionHeaders),
    customerId: readId(headers, "x-customer-id"),
    configVersion: readConfigVersion(headers),
    traceparent: readTraceparent(headers),
  };
}

export function readProviderKey(headers: Headers): string {
  const key = headers.get("x-provider-key")?.trim();
  if (!key)
    throw fail(
      "missing_provider_key",
      "the X-Provider-Key header is missing: it carries your own provider key",
    );
  if (looksLikeServiceKey(key)) throw serviceKeyIn("X-Provider-Key");
  return key;
}

/** The caller's key of a provider that its call may be sent to instead; null where it gave none. */
export function readOtherProviderKey(headers: Headers, provider: ProviderId): string | null {
  return headers.get(otherKeyHeaders[provider])?.trim() || null;
}

const otherKeyHeaders: Readonly<Record<ProviderId, string>> = {
  openai: "x-provider-key-openai",
  anthropic: "x-provider-key-anthropic",
  google: "x-provider-key-google",
  xai: "x-provider-key-xai",
};

/** Also where they are not used: whoever mixed the two up shall hear of it before a provider could. */
function refuseServiceKeys(headers: Headers): void {
  for (const provider of providerIds) {
    const key = headers.get(otherKeyHeaders[provider]);
    if (key !== null && looksLikeServiceKey(key.trim())) throw serviceKeyIn(`X-Provider-Key-${provider}`);
  }
}

function serviceKeyIn(header: string): TollgateError {
  return fail(
    "service_key_as_provider_key",
    `${header} holds a key of this service; it must be your own provider key`,
  );
}

/** What a client says by itself, unasked: a value that is no id of ours is not its user's fault, and is ignored. */
function readOwnSession(headers: Headers, names: readonly string[]): string | null {
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null && ownSession.test(value)) return value;
  }
  return null;
}

/** The ids that these clients make. */
const ownSession = /^[\w.:@/-]{1,256}$/;

/** One that is not valid is ignored, as W3C Trace Context asks: it is no fault of the call. */
function readTraceparent(headers: Headers): string | null {
  const value = headers.get("traceparent");
  return value !== null && isTraceparent(value) ? value : null;
}

function readId(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  return value === null ? null : toId(value, name);
}

/** An empty one is null, as it is in events and telemetry. */
function readConfigVersion(headers: Headers): string | null {
  const value = headers.get("x-config-version");
  return value === null || value === "" ? null : toId(value, "x-config-version");
}

function toId(value: string, name: string): string {
  const id = decodeHeaderText(value);
  if (!isCallerId(id)) throw fail("invalid_header", `${name} ${CALLER_ID_RULE}`);
  return id;
}
