import { fail } from "@tollgate/core/errors";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import { AdmittedCall } from "./call/admitted-call.ts";
import type { Call } from "./call/call.ts";
import type { Gateway } from "./gateway.ts";
import { perform } from "./perform.ts";
import { refuseCall } from "./refusals/refuse-call.ts";
import { refuseTwoHosts } from "./request/authenticate.ts";
import { measureBody, parseBody, tooDeep } from "./request/parse-body.ts";
import type { Endpoint } from "./request/routed.ts";
import { admit } from "./stages/admit.ts";
import { identify } from "./stages/identify.ts";
import { route } from "./stages/route.ts";
import { steer } from "./stages/steer.ts";

/**
 * A call is a straight pipeline that ends in one fact. Until `admit` a call can be refused, and is then only recorded as
 * refused; after it, the call ends in exactly one event, on disk before the client reads the last byte.
 */
export async function handleCall(endpoint: Endpoint, request: Request, gateway: Gateway): Promise<Response> {
  let call: Call;
  let readAtMs: number;
  let orgId = "";
  let memoryBytes = 0;
  try {
    if (gateway.inFlight.draining) throw fail("shutting_down", "the gateway is shutting down");
    refuseTwoHosts(request.headers);
    const identified = identify(request.headers, gateway, endpoint.sessionHeaders);
    const { caller } = identified;
    refusePaused(caller, identified.agentKey, gateway);
    gateway.limits.check(caller, gateway.now());
    const body = measureBody(await gateway.bodies.read(request, caller.orgId));
    readAtMs = gateway.uptimeMs();
    gateway.bodyRoom.take(caller.orgId, body.memoryBytes);
    orgId = caller.orgId;
    memoryBytes = body.memoryBytes;
    const parsed = parseBody(body, endpoint.dialect);
    const id = gateway.newId();
    const routed =
      steer(id, identified, parsed, endpoint, request, gateway) ??
      route(parsed, endpoint, request, gateway.catalogue);
    call = await admit({ id, identified, routed, endpoint, request }, gateway);
  } catch (fault) {
    gateway.bodyRoom.release(orgId, memoryBytes);
    // JSON within JSON (a tool's arguments) may be nested arbitrarily deep, too.
    const refusal = isStackOverflow(fault) ? tooDeep() : fault;
    return await refuseCall(refusal, request, gateway);
  }
  const admitted = new AdmittedCall(call, gateway, memoryBytes);
  admitted.tap = gateway.sampler.sample(call);
  gateway.metrics.admitted(gateway.uptimeMs() - readAtMs);
  return await perform(admitted, request, gateway);
}

function isStackOverflow(fault: unknown): boolean {
  return fault instanceof RangeError && fault.message.includes("call stack");
}

function refusePaused(caller: GatewayCaller, agentKey: string, gateway: Gateway): void {
  if (gateway.directory.rulesOf(caller.orgId, caller.mode).pausedAgents.has(agentKey)) {
    throw fail("agent_paused", "this agent is paused; POST /api/agents/:id/resume resumes it");
  }
}
