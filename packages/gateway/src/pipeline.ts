import { fail } from "@tollgate/core/errors";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import { addSettled, answerHeaders } from "./answer/answer-headers.ts";
import { asTollgateError, errorResponse } from "./answer/error-response.ts";
import { limitHeaders } from "./answer/limit-headers.ts";
import { reject } from "./answer/reject.ts";
import { Attempt } from "./call/attempt.ts";
import type { Call, Endpoint } from "./call/call.ts";
import { brokenOff } from "./call/outcome.ts";
import type { Gateway } from "./gateway.ts";
import { refuseTwoHosts } from "./request/authenticate.ts";
import { parseBody, tooDeep } from "./request/parse-body.ts";
import { admit } from "./stages/admit.ts";
import { identify } from "./stages/identify.ts";
import { relay } from "./stages/relay.ts";
import { route } from "./stages/route.ts";
import { send } from "./stages/send.ts";
import { steer } from "./stages/steer.ts";

/**
 * A call is a straight pipeline that ends in one fact. Until `admit` a call can be refused, and is then only counted;
 * after it, the call ends in exactly one event, on disk before the client reads the last byte.
 */
export async function handleCall(endpoint: Endpoint, request: Request, gateway: Gateway): Promise<Response> {
  let call: Call;
  try {
    if (gateway.inFlight.draining) throw fail("shutting_down", "the gateway is shutting down");
    refuseTwoHosts(request.headers);
    const identified = identify(request.headers, gateway, endpoint.sessionHeaders);
    const { caller } = identified;
    refusePaused(caller, identified.agentKey, gateway);
    gateway.limits.check(caller, caller.limits, gateway.now());
    const parsed = parseBody(await gateway.bodies.read(request), endpoint.dialect);
    const id = gateway.newId();
    const routed =
      steer(id, identified, parsed, endpoint, request, gateway) ??
      route(parsed, endpoint, request, gateway.catalogue);
    call = await admit({ id, identified, routed, endpoint, request }, gateway);
  } catch (fault) {
    // JSON within JSON (a tool's arguments) may be nested arbitrarily deep, too.
    const refusal = isStackOverflow(fault) ? tooDeep() : fault;
    return await reject(refusal, request, gateway, limitHeaders(request.headers, gateway));
  }
  const attempt = new Attempt(call, gateway);
  try {
    if (call.summary.stream) abortWithClient(attempt, request);
    const upstream = await send(attempt, gateway);
    attempt.answered(upstream.status);
    return await relay(attempt, upstream, request);
  } catch (fault) {
    return await settleFault(attempt, fault, gateway);
  }
}

function isStackOverflow(fault: unknown): boolean {
  return fault instanceof RangeError && fault.message.includes("call stack");
}

function refusePaused(caller: GatewayCaller, agentKey: string, gateway: Gateway): void {
  if (gateway.directory.rulesOf(caller.orgId, caller.mode).pausedAgents.has(agentKey)) {
    throw fail("agent_paused", "this agent is paused; POST /api/agents/:id/resume resumes it");
  }
}

/** An admitted call always settles. */
async function settleFault(attempt: Attempt, fault: unknown, gateway: Gateway): Promise<Response> {
  const error = asTollgateError(fault, gateway);
  const event = await attempt.settle(brokenOff(attempt, attempt.httpStatus, error));
  attempt.abortUpstream();
  const headers = answerHeaders(attempt.call, "application/json");
  addSettled(headers, attempt.call, event);
  return errorResponse(error, gateway, headers);
}

function abortWithClient(attempt: Attempt, request: Request): void {
  // The client may have left while its call waited for admission; then nothing is sent, even in drain mode.
  if (request.signal.aborted) attempt.breakOff("client_left");
  request.signal.addEventListener("abort", () => attempt.clientLeft(), { once: true });
}
