import { fail } from "@tollgate/core/errors";
import { apiKeyIn } from "@tollgate/core/wire/api-key-header";
import { hasTwoHosts } from "@tollgate/core/wire/has-two-hosts";
import { digestOf } from "@tollgate/storage/config/api-key";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import type { Gateway } from "../gateway.ts";

/** Resolves the key to its caller, unless the known keys are too old to trust. */
export function authenticate(headers: Headers, gateway: Gateway): GatewayCaller {
  gateway.oldConfigGuard?.check(gateway.now());
  return resolveKey(headers, gateway);
}

/** Anthropic's clients send the key as `x-api-key`, all others as a bearer token. */
export function resolveKey(headers: Headers, gateway: Gateway): GatewayCaller {
  const key = apiKeyIn(headers);
  if (!key) throw fail("missing_api_key", "missing API key: send it as Authorization: Bearer <API_KEY>");
  const caller = gateway.directory.findByDigest(digestOf(key), gateway.now());
  if (!caller) throw fail("invalid_api_key", "Invalid API key");
  if (caller.status !== "active") {
    throw fail("organization_inactive", `the organization of this API key is ${caller.status}`);
  }
  return caller;
}

/** The caller of a refused request, even if its organization is inactive; null: there is no valid key. */
export function findCaller(headers: Headers, gateway: Gateway): GatewayCaller | null {
  const key = apiKeyIn(headers);
  if (!key) return null;
  try {
    return gateway.directory.findByDigest(digestOf(key), gateway.now());
  } catch {
    // Keys cannot be read, which is why the request was refused: that fault is answered and logged.
    return null;
  }
}

export function refuseTwoHosts(headers: Headers): void {
  if (hasTwoHosts(headers)) throw fail("invalid_request", "the Host header is not valid");
}
