import type { AnyOperation } from "@tollgate/core/contract/operation";
import { fail } from "@tollgate/core/errors";
import { admitPrincipal } from "../http/admit-principal.ts";
import type { AppParts } from "../http/app-parts.ts";
import { parseBody } from "../http/parse-body.ts";
import { readQuery } from "../http/read-query.ts";
import { refuseUnsafe } from "../http/refuse-unsafe.ts";
import type { RequestRates } from "../http/request-rates.ts";
import type { Principal } from "../kernel/context.ts";
import { publicHandlers } from "../operations/handlers.ts";
import { operationRunner } from "../operations/run-operation.ts";

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
    return async () => Response.json(await open(control, {}), { status: operation.status });
  }
  const run = operationRunner(operation);

  return async (request, params, peer) => {
    const principal = await admitPrincipal(rates, request, peer, () => resolvePrincipal(request));
    const bytes = await parts.bodies.read(request);
    const output = await run(control, principal, () => {
      const search = new URL(request.url).searchParams;
      checkMode(search, principal);
      const query = readQuery(search, operation.query);
      refuseUnsafe(params);
      return { params, query, body: operation.body === undefined ? {} : parseBody(bytes) };
    });
    return withCookies(toResponse(operation, output), principal);
  };
}

/** Every operation accepts `mode`: it selects the traffic a session sees. A key has its own. */
function checkMode(search: URLSearchParams, principal: Principal): void {
  const modes = search.getAll("mode");
  search.delete("mode");
  const [mode] = modes;
  if (mode === undefined) return;
  if (modes.length > 1 || (mode !== "live" && mode !== "test")) {
    throw fail("invalid_request", "mode must be live or test");
  }
  if (mode !== principal.scope.mode) {
    throw fail("invalid_request", `mode: this key is for ${principal.scope.mode} traffic`);
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
