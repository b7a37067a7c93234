import { fail } from "@tollgate/core/errors";
import { anthropicMessages } from "@tollgate/providers/dialects/anthropic-messages/dialect";
import { openaiChat } from "@tollgate/providers/dialects/openai-chat/dialect";
import { openaiEmbeddings } from "@tollgate/providers/dialects/openai-embeddings/dialect";
import { openaiResponses } from "@tollgate/providers/dialects/openai-responses/dialect";
import type { Endpoint } from "./call.ts";
import type { Gateway } from "./gateway.ts";
import { listModels, toWireModel } from "./models.ts";
import { passThrough } from "./passthrough.ts";
import { handleCall, reject } from "./pipeline.ts";
import { authenticate } from "./stages/authenticate.ts";
import { readBytes } from "./stages/read-body.ts";
import { chooseProvider } from "./stages/route.ts";

export const GATEWAY_VERSION = "1.0.0";

const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  [
    { path: "/v1/chat/completions", dialect: openaiChat },
    { path: "/v1/messages", dialect: anthropicMessages },
    { path: "/v1/embeddings", dialect: openaiEmbeddings },
    { path: "/v1/responses", dialect: openaiResponses },
  ].map(endpoint => [endpoint.path, endpoint]),
);

export interface Peer {
  readonly address: string | null;
}

/** The whole surface of the gateway. */
export async function dispatch(request: Request, peer: Peer, gateway: Gateway): Promise<Response> {
  const { path, query } = splitUrl(request.url);
  if (request.method === "POST") {
    const endpoint = endpoints.get(path);
    if (endpoint) {
      if (gateway.inFlight.draining)
        return reject(fail("shutting_down", "the gateway is shutting down"), gateway);
      return handleCall(endpoint, request, query, gateway);
    }
  }
  try {
    return await answerOther(request, path, query, peer, gateway);
  } catch (fault) {
    return reject(fault, gateway);
  }
}

async function answerOther(
  request: Request,
  path: string,
  query: string,
  peer: Peer,
  gateway: Gateway,
): Promise<Response> {
  const { method } = request;
  if (method === "GET" && path === "/health") return health(gateway);
  if (method === "GET" && path === "/metrics") return metrics(request, peer, gateway);
  if (method === "GET" && path === "/v1/models") {
    authenticate(request.headers, gateway);
    return Response.json(listModels(gateway.catalogue, new Date(gateway.now())));
  }
  const modelId = method === "GET" ? /^\/v1\/models\/(.+)$/.exec(path)?.[1] : undefined;
  if (modelId) return oneModel(request, decodeURIComponent(modelId), gateway);
  if (method === "POST" && path === "/v1/messages/count_tokens") return countTokens(request, query, gateway);
  if (isStoredResponse(method, path)) {
    const forced = request.headers.get("x-provider");
    const { provider } = chooseProvider("gpt", forced ?? "openai", gateway.catalogue);
    return await passThrough(request, provider, path + query, gateway);
  }
  throw fail("not_found", "no such endpoint");
}

/** GET, DELETE and cancel of what POST /v1/responses stored at the provider. */
function isStoredResponse(method: string, path: string): boolean {
  if (method === "GET") return /^\/v1\/responses\/[\w-]+(\/input_items)?$/.test(path);
  if (method === "DELETE") return /^\/v1\/responses\/[\w-]+$/.test(path);
  return method === "POST" && /^\/v1\/responses\/[\w-]+\/cancel$/.test(path);
}

async function countTokens(request: Request, query: string, gateway: Gateway): Promise<Response> {
  authenticate(request.headers, gateway);
  const bytes = await readBytes(request);
  let model: unknown;
  try {
    model = JSON.parse(new TextDecoder().decode(bytes))?.model;
  } catch {
    throw fail("invalid_json", "the request body is not valid JSON");
  }
  if (typeof model !== "string" || model === "")
    throw fail("invalid_request", "model must be a non-empty string");
  const chosen = chooseProvider(model, request.headers.get("x-provider"), gateway.catalogue);
  if (chosen.provider !== "anthropic") {
    throw fail("unsupported_feature", `${chosen.provider} has no endpoint that counts tokens`);
  }
  return await passThrough(request, "anthropic", `/v1/messages/count_tokens${query}`, gateway, bytes);
}

function health(gateway: Gateway): Response {
  const { draining } = gateway.inFlight;
  return Response.json(
    {
      status: draining ? "stopping" : "ok",
      timestamp: new Date(gateway.now()).toISOString(),
      version: GATEWAY_VERSION,
    },
    { status: draining ? 503 : 200 },
  );
}

/** From this machine without a key, from elsewhere with one. */
function metrics(request: Request, peer: Peer, gateway: Gateway): Response {
  if (!isLoopback(peer.address)) authenticate(request.headers, gateway);
  return new Response(gateway.metrics.render({ svc_gateway_unsettled_events: gateway.ledger.unsettled }), {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
}

function oneModel(request: Request, id: string, gateway: Gateway): Response {
  authenticate(request.headers, gateway);
  const model = gateway.catalogue.models(new Date(gateway.now())).find(candidate => candidate.id === id);
  if (!model) throw fail("not_found", "no such model");
  return Response.json(toWireModel(model));
}

function isLoopback(address: string | null): boolean {
  return address !== null && /^(127\.|::1$|::ffff:127\.)/.test(address);
}

function splitUrl(url: string): { path: string; query: string } {
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", pathStart);
  if (pathStart === -1) return { path: "/", query: "" };
  if (queryStart === -1) return { path: url.slice(pathStart), query: "" };
  return { path: url.slice(pathStart, queryStart), query: url.slice(queryStart) };
}
