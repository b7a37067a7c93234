import { API_VERSION } from "@tollgate/core/contract/api-version";
import { fail, TollgateError } from "@tollgate/core/errors";
import { describeFault } from "@tollgate/core/log";
import { apiKeyIn } from "@tollgate/core/wire/api-key-header";
import { answerHosted } from "@tollgate/tools/answer-hosted";
import { surfaces } from "@tollgate/tools/surfaces";
import type { CallOperation, Tool } from "@tollgate/tools/tool";
import { ToolCallRates } from "@tollgate/tools/tool-call-rates";
import { ownOrigins, requireOwnOrigin } from "../../features/auth/own-origin.ts";
import type { Principal } from "../../kernel/context.ts";
import { admitPrincipal } from "../http/admit-principal.ts";
import type { AppParts } from "../http/app-parts.ts";
import { errorResponse } from "../http/error-response.ts";
import type { RequestRates } from "../http/request-rates.ts";
import { callAsStranger, callInProcess } from "./call-in-process.ts";

/**
 * The tool server at `/mcp`: one server per request, created for its key. Clients share nothing but the rate limit
 * windows, which are per key.
 */
export function toolEndpoint(
  parts: AppParts,
  requestRates: RequestRates,
): (request: Request, peer: string | null) => Promise<Response> {
  const { control, log } = parts;
  const origins = ownOrigins([control.publicUrl, ...(parts.ownUrls ?? [])]);
  const rates = new ToolCallRates(control.now);

  return async (request, peer) => {
    requireOwnHost(request, origins);
    // Programs send no Origin. Browsers do, and only our own pages are accepted.
    requireOwnOrigin(request, origins, "allow");
    if (request.method !== "POST") return methodNotAllowed();
    if (control.checkout.isOpenToStrangers && apiKeyIn(request.headers) === null) {
      requestRates.admitStranger(request, peer);
      return await answer(request, "", "stranger", surfaces.strangers, callAsStranger(parts));
    }
    let principal: Principal;
    try {
      principal = await admitPrincipal(requestRates, request, peer, () => keyPrincipal(request, parts));
    } catch (fault) {
      return challenge(fault, parts);
    }
    const key = principal.actor.kind === "key" ? principal.actor.keyId : "";
    return await answer(
      request,
      principal.scope.orgId,
      key,
      surfaces.hosted,
      callInProcess(parts, principal),
    );
  };

  async function answer(
    request: Request,
    orgId: string,
    caller: string,
    tools: readonly Tool[],
    call: CallOperation,
  ): Promise<Response> {
    const bytes = await parts.bodies.read(request, orgId);
    const message = { url: request.url, headers: acceptingBoth(request.headers), bytes };
    const answered = await answerHosted(message, {
      version: API_VERSION,
      tools,
      call,
      admit: tool => rates.admit(caller, tool),
      onFault: fault => log("error", "a tool had a fault", describeFault(fault)),
    });
    answered.headers.set("cache-control", "no-store");
    return answered;
  }
}

/** A wildcard includes both response types, but the protocol library requires each to be named. */
function acceptingBoth(sent: Headers): Headers {
  const accept = sent.get("accept") ?? "*/*";
  if (!accept.includes("*/*")) return sent;
  const headers = new Headers(sent);
  headers.set("accept", "application/json, text/event-stream");
  return headers;
}

/** Keys only: a cookie would let any open page act for the signed-in person. */
async function keyPrincipal(request: Request, { resolvePrincipal }: AppParts): Promise<Principal> {
  if (apiKeyIn(request.headers) === null) {
    throw fail("missing_api_key", "Send an API key as `Authorization: Bearer`");
  }
  return await resolvePrincipal(request);
}

function challenge(fault: unknown, { log }: AppParts): Response {
  const answer = errorResponse(fault, log);
  if (answer.status === 401) {
    const isWrong = fault instanceof TollgateError && fault.code === "invalid_api_key";
    answer.headers.set(
      "www-authenticate",
      `Bearer realm="tollgate"${isWrong ? ', error="invalid_token"' : ""}`,
    );
  }
  return answer;
}

function methodNotAllowed(): Response {
  return Response.json(
    { error: "The tool endpoint accepts only POST: it has no sessions and no server-initiated streams" },
    { status: 405, headers: { allow: "POST" } },
  );
}

/**
 * A page can make its own name resolve to this machine (DNS rebinding) and then reach us as if we were its server. It
 * cannot do that with a numeric address, so those and our own names are accepted.
 */
function requireOwnHost(request: Request, origins: ReadonlySet<string>): void {
  const host = URL.parse(`http://${request.headers.get("host") ?? ""}`)?.hostname ?? "";
  const isOurs = isAddress(host) || [...origins].some(origin => new URL(origin).hostname === host);
  if (!isOurs)
    throw fail("foreign_origin", "This Host is not one of this server's addresses; set SVC_PUBLIC_URL");
}

function isAddress(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || host.startsWith("[");
}
