import { fail, TollgateError } from "@tollgate/core/errors";
import { describeFault } from "@tollgate/core/log";
import type { ProviderId } from "@tollgate/core/provider-id";
import { providers } from "@tollgate/providers/registry";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import { addReturned } from "../answer/answer-headers.ts";
import type { Watch } from "../call/deadlines.ts";
import type { Gateway } from "../gateway.ts";
import { identify } from "../stages/identify.ts";

/**
 * Requests that cost nothing and therefore leave no event: counting tokens, reading stored responses. They need both
 * keys like any call, count toward the burst limit, and are forwarded unchanged.
 */
export async function passThrough(
  request: Request,
  providerId: ProviderId,
  pathAndQuery: string,
  gateway: Gateway,
  body?: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const startedAtMs = gateway.uptimeMs();
  const { caller, providerKey } = identify(request.headers, gateway, []);
  gateway.limits.check(caller, gateway.now());
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
  const sent =
    body ?? (request.method === "GET" ? undefined : await gateway.bodies.read(request, caller.orgId));
  await takeBurst(caller, gateway);
  const controller = new AbortController();
  let isSilent = false;
  const fellSilent = () => {
    isSilent = true;
    controller.abort();
  };
  const watch = gateway.deadlines.watch({ fellSilent });
  watch.listen();
  request.signal.addEventListener("abort", () => controller.abort());
  let upstream: Response;
  try {
    const init = {
      method: request.method,
      headers,
      ...(sent && sent.length > 0 ? { body: sent } : {}),
      signal: controller.signal,
      redirect: "manual",
    } as const;
    upstream = await gateway.bodyRoom.hold(caller.orgId, sent?.length ?? 0, () =>
      gateway.transports[caller.mode](providerId, pathAndQuery, init, caller.orgId),
    );
  } catch (fault) {
    watch.stop();
    if (fault instanceof TollgateError) throw fault;
    if (!isSilent && request.signal.aborted) {
      throw fail("client_left", "the client left before the provider answered");
    }
    gateway.log("warn", "a request could not be passed through", describeFault(fault));
    throw isSilent
      ? fail("provider_timeout", `${providerId} did not answer in time`)
      : fail("provider_unreachable", `${providerId} could not be reached`);
  }
  if (upstream.status >= 300 && upstream.status < 400) {
    watch.stop();
    controller.abort();
    throw fail("provider_invalid_answer", `${providerId} answered with status ${upstream.status}`);
  }
  const returned: Record<string, string> = {
    "content-type": upstream.headers.get("content-type") ?? "application/json",
    ...gateway.limits.headers(caller, gateway.now()),
    "x-gateway-latency": `${Math.round(gateway.uptimeMs() - startedAtMs)}ms`,
    "x-gateway-cost": "0",
  };
  addReturned(returned, provider, upstream.headers);
  if (upstream.status >= 400) returned["x-gateway-error-source"] = "provider";
  return new Response(watched(upstream.body, watch), { status: upstream.status, headers: returned });
}

/** Other requests may have taken the last slot while the body was read. */
async function takeBurst(caller: GatewayCaller, { limits, now }: Gateway): Promise<void> {
  const burst = await limits.askForBurst(caller, now);
  const at = now();
  try {
    limits.check(caller, at, { burst, month: null });
  } catch (fault) {
    burst?.giveBack();
    throw fault;
  }
  limits.takeBurst(caller, at);
}

/** Forwards the body; silence ends it as it would end a call. */
async function* watched(body: ReadableStream<Uint8Array> | null, watch: Watch): AsyncGenerator<Uint8Array> {
  try {
    watch.listen();
    for await (const piece of body ?? []) {
      watch.pause();
      yield piece;
      watch.listen();
    }
  } finally {
    watch.stop();
  }
}
