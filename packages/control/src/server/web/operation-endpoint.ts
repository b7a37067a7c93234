import type { AnyOperation } from "@tollgate/core/contract/operation";
import { parseInput } from "@tollgate/core/contract/parse-input";
import { fail, TollgateError } from "@tollgate/core/errors";
import type { Mode } from "@tollgate/core/event";
import type { Principal } from "../../kernel/context.ts";
import { admitPrincipal } from "../http/admit-principal.ts";
import type { AppParts } from "../http/app-parts.ts";
import { parseBody } from "../http/parse-body.ts";
import { readQuery } from "../http/read-query.ts";
import { refuseUnsafe } from "../http/refuse-unsafe.ts";
import type { RequestRates } from "../http/request-rates.ts";
import { publicHandlers } from "../operations/handlers.ts";
import { operationRunner, strangerRunner } from "../operations/run-operation.ts";

type Endpoint = (request: Request, params: Record<string, string>, peer: string | null) => Promise<Response>;

const publicById: Readonly<Record<string, (typeof publicHandlers)[keyof typeof publicHandlers]>> =
  publicHandlers;

/**
 * One operation as an endpoint. Nothing about the body or path is revealed before the credential is known; then rate,
 * size, permission, tier and input are checked, in this order.
 */
export function operationEndpoint(operation: AnyOperation, parts: AppParts, rates: RequestRates): Endpoint {
  const { control, resolvePrincipal } = parts;
  const open = publicById[operation.id];
  if (operation.scope === null && open !== undefined) {
    return async (request, params, peer) => {
      // A caller who reads by token could also guess tokens.
      if (operation.params !== undefined) rates.admitStranger(request, peer);
      refuseUnsafe(params);
      const input = parseInput(operation, { params, query: {}, body: {} });
      return Response.json(await open(control, input as never), { status: operation.status });
    };
  }
  const run = operationRunner(operation);
  const runForStranger = strangerRunner(operation, control);

  return async (request, params, peer) => {
    const principal = await admitPrincipal(rates, request, peer, () => resolvePrincipal(request)).catch(
      fault => {
        if (runForStranger !== null && isWithoutCredential(fault)) return null;
        throw fault;
      },
    );
    const bytes = await parts.bodies.read(request, principal?.scope.orgId ?? "");
    const readInput = () => {
      const search = new URL(request.url).searchParams;
      checkMode(search, principal?.scope.mode ?? "live");
      const query = readQuery(search, operation.query);
      refuseUnsafe(params);
      return { params, query, body: operation.body === undefined ? {} : parseBody(bytes) };
    };
    if (principal !== null) {
      return withCookies(toResponse(operation, await run(control, principal, readInput)), principal);
    }
    return toResponse(operation, await runForStranger?.(readInput));
  };
}

function isWithoutCredential(fault: unknown): boolean {
  return fault instanceof TollgateError && fault.code === "missing_credential";
}

/** Every operation accepts `mode`: it selects the traffic a session sees. A key has its own. */
function checkMode(search: URLSearchParams, own: Mode): void {
  const modes = search.getAll("mode");
  search.delete("mode");
  const [mode] = modes;
  if (mode === undefined) return;
  if (modes.length > 1 || (mode !== "live" && mode !== "test")) {
    throw fail("invalid_request", "mode: must be `live` or `test`");
  }
  if (mode !== own) {
    throw fail("invalid_request", `mode: this key is for ${own} traffic`);
  }
}

function toResponse(operation: AnyOperation, output: unknown): Response {
  if (output instanceof Response) return output;
  if (operation.status === 204) return new Response(null, { status: 204 });
  return Response.json(output, { status: operation.status });
}

function withCookies(answer: Response, principal: Principal): Response {
  for (const cookie of principal.setCookies ?? []) answer.headers.append("set-cookie", cookie);
  return answer;
}
