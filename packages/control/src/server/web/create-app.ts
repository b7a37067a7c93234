import { openApiDocument } from "@tollgate/core/contract/openapi";
import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import { fail } from "@tollgate/core/errors";
import { hasTwoHosts } from "@tollgate/core/wire/has-two-hosts";
import { answerUnread } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { Hono } from "hono";
import { showCheckout } from "../../features/checkout/show-checkout.ts";
import { answerReportPage, reportStylesheet } from "../../features/reports/report-routes.ts";
import type { AppParts } from "../http/app-parts.ts";
import { errorResponse } from "../http/error-response.ts";
import { RequestRates } from "../http/request-rates.ts";
import { withSecurityHeaders } from "../http/security-headers.ts";
import { toolEndpoint } from "../mcp/tool-endpoint.ts";
import { answerMetrics } from "./answer-metrics.ts";
import { answerNotice } from "./answer-notice.ts";
import { docsPage } from "./docs-page.ts";
import { operationEndpoint } from "./operation-endpoint.ts";
import { WebMetrics } from "./web-metrics.ts";

export interface WebApp {
  /** `peer` is the remote address of the connection. */
  fetch(request: Request, peer: string | null): Promise<Response>;
}

/** Routes that are not operations, but are counted like them. */
const toolCalls = { id: "mcp", status: 200 } as const;
const stripeNotices = { id: "webhooks.stripe", status: 200 } as const;

type Env = { Bindings: { peer: string | null } };

/** The web API: every operation of the contract at its path, and the few routes that are not operations. */
export function createApp(parts: AppParts): WebApp {
  const { log } = parts;
  const app = new Hono<Env>();
  const trustedProxies = parts.trustedProxies ?? TrustedProxies.none;
  const rates = new RequestRates(parts.requestsPerMinute ?? 0, trustedProxies, parts.control.now);

  const all: AnyOperation[] = Object.values(operations).toSorted(bySpecificity);
  const metrics = new WebMetrics([...all, toolCalls, stripeNotices]);
  for (const operation of all) {
    const answer = operationEndpoint(operation, parts, rates);
    app.on(operation.method, operation.path, async ({ req, env }) => {
      const startedAt = performance.now();
      const response = await answer(req.raw, req.param(), env.peer).catch(fault => errorResponse(fault, log));
      metrics.answered(operation.id, response.status, performance.now() - startedAt);
      return response;
    });
  }

  const answerTools = toolEndpoint(parts, rates);
  app.all("/mcp", async ({ req, env }) => {
    const startedAt = performance.now();
    const response = await answerTools(req.raw, env.peer).catch(fault => errorResponse(fault, log));
    metrics.answered(toolCalls.id, response.status, performance.now() - startedAt);
    return response;
  });

  let described: Record<string, unknown> | null = null;
  app.get("/api/openapi.json", ({ req, env }) => {
    rates.admitStranger(req.raw, env.peer);
    described ??= openApiDocument();
    return Response.json(described);
  });
  app.get("/checkout/:id{[0-9a-fA-F-]{36}}", async ({ req, env }) => {
    rates.admitStranger(req.raw, env.peer);
    return await showCheckout(parts.control, req.param("id"));
  });
  app.post("/webhooks/stripe", async ({ req, env }) => {
    const startedAt = performance.now();
    const response = await answerNotice(req.raw, env.peer, parts, rates).catch(fault =>
      errorResponse(fault, log),
    );
    metrics.answered(stripeNotices.id, response.status, performance.now() - startedAt);
    return response;
  });
  app.get("/report/page.css", () => reportStylesheet());
  app.get("/r/:token", async ({ req, env }) => {
    rates.admitStranger(req.raw, env.peer);
    return await answerReportPage(parts.control, req.param("token"));
  });
  app.get("/metrics", ({ req, env }) => answerMetrics(req.raw, env.peer, parts, metrics));
  app.notFound(async ({ req, env }) => {
    const isApi = req.path.startsWith("/api/") || req.path === "/api";
    const docs = req.method === "GET" ? docsPage(req.path) : null;
    return (
      docs ??
      (await parts.identity?.(req.raw, env.peer)) ??
      (isApi ? null : await parts.pages?.(req.raw)) ??
      errorResponse(fail("not_found", "Not found"), log)
    );
  });
  app.onError(fault => errorResponse(fault, log));

  return {
    async fetch(request, peer) {
      // An invalid Host leaves the request without a URL, which nothing below could handle.
      const url = hasTwoHosts(request.headers) ? null : URL.parse(request.url);
      const answer = url
        ? await app.fetch(request, { peer })
        : errorResponse(fail("invalid_request", "the Host header is not valid"), log);
      return await answerUnread(
        request,
        withSecurityHeaders(answer, url?.pathname.startsWith("/api/") ?? true),
      );
    },
  };
}

/** `/api/budgets/status` before `/api/budgets/:id`: the router takes the first match. */
function bySpecificity(a: AnyOperation, b: AnyOperation): number {
  const [left, right] = [rank(a.path), rank(b.path)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function rank(path: string): string {
  return path
    .split("/")
    .map(segment => (segment.startsWith(":") ? "1" : "0"))
    .join("");
}
