import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { providers } from "@tollgate/providers/registry";
import { simulate } from "@tollgate/simulator/simulate";
import type { Gateway } from "./gateway.ts";

export interface TransportOptions {
  readonly baseUrls: Partial<Record<ProviderId, string>>;
  readonly providerTimeoutMs: number;
  /** Delay between two frames of the simulator. */
  readonly simulatorPaceMs?: number;
}

/** The ways out: to the providers, or in test mode to the simulator. */
export function createTransports({
  baseUrls,
  providerTimeoutMs,
  simulatorPaceMs,
}: TransportOptions): Gateway["transports"] {
  const urls = baseUrlsOf(baseUrls);
  // Bun drops a silent connection after five minutes; our own timeout is configurable.
  const isPatient = providerTimeoutMs > 200_000;
  return {
    live: (provider, path, init) =>
      fetch(urls[provider] + path, isPatient ? { ...init, timeout: false } : init),
    test: async (provider, path, init, orgId) =>
      await simulate(provider, new Request(`http://simulator.invalid${path}`, init), {
        account: orgId,
        ...(simulatorPaceMs !== undefined && { paceMs: simulatorPaceMs }),
      }),
  };
}

function baseUrlsOf(configured: Partial<Record<ProviderId, string>>): Record<ProviderId, string> {
  const entries = providerIds.map(id => [id, (configured[id] ?? providers[id].baseUrl).replace(/\/+$/, "")]);
  return Object.fromEntries(entries) as Record<ProviderId, string>;
}
