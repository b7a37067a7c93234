import { fail } from "@tollgate/core/errors";
import type { ProviderId } from "@tollgate/core/provider-id";
import { limitsOf } from "@tollgate/core/tiers";
import { providers } from "@tollgate/providers/registry";
import type { Gateway } from "./gateway.ts";
import { describeFault } from "./log.ts";
import { identify } from "./stages/authenticate.ts";
import { readBytes } from "./stages/read-body.ts";

/**
 * Requests that cost nothing and therefore leave no event: counting tokens, reading stored responses. They need
 * both keys like any call, and go to the provider as they are.
 */
export async function passThrough(
  request: Request,
  providerId: ProviderId,
  pathAndQuery: string,
  gateway: Gateway,
  body?: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const { caller, providerKey } = identify(request.headers, gateway);
  gateway.limits.check(caller, limitsOf(caller.tier, caller), gateway.now());
  const provider = providers[providerId];
  const headers: Record<string, string> = {
    "accept-encoding": "identity",
    "user-agent": "tollgate",
    ...provider.credential(providerKey),
  };
  for (const name of [...provider.forwardedHeaders, "content-type", "accept"]) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const controller = new AbortController();
  const watch = gateway.deadlines.watch(() => controller.abort());
  watch.listen();
  request.signal.addEventListener("abort", () => controller.abort());
  const sent = body ?? (request.method === "GET" ? undefined : await readBytes(request));
  let upstream: Response;
  try {
    upstream = await gateway.transports[caller.mode](
      providerId,
      gateway.baseUrls[providerId] + pathAndQuery,
      {
        method: request.method,
        headers,
        ...(sent && sent.length > 0 ? { body: sent } : {}),
        signal: controller.signal,
        redirect: "manual",
      },
    );
  } catch (fault) {
    gateway.log("warn", "a request could not be passed through", describeFault(fault));
    throw controller.signal.aborted
      ? fail("provider_timeout", `${providerId} did not answer in time`)
      : fail("provider_unreachable", `${providerId} could not be reached`);
  } finally {
    watch.stop();
  }
  return new Response(upstream.body, {
    status: upstream.status,
    headers: {
      "content-type": upstream.headers.get("content-type") ?? "application/json",
      ...(upstream.status >= 400 ? { "x-gateway-error-source": "provider" } : {}),
    },
  });
}
