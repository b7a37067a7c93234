import { fail, type TollgateError } from "@tollgate/core/errors";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { looksLikeServiceKey } from "@tollgate/storage/config/api-key";

/** The key of the called provider. */
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

/** Built once: for a call without such a header, concatenation would cost more than the lookup. */
const otherKeyHeaders = Object.fromEntries(providerIds.map(id => [id, `x-provider-key-${id}`])) as Readonly<
  Record<ProviderId, string>
>;

/** The key of a provider that the call may be switched to; null: none was sent. */
export function readOtherProviderKey(headers: Headers, provider: ProviderId): string | null {
  return headers.get(otherKeyHeaders[provider])?.trim() || null;
}

/** Unused ones are checked too: a mixed-up key must be reported before it can reach a provider. */
export function refuseServiceKeys(headers: Headers): void {
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
