import { fail } from "@tollgate/core/errors";
import { answerUnread } from "@tollgate/core/wire/request-bodies";
import { anthropicMessages } from "@tollgate/providers/dialects/anthropic-messages/dialect";
import { openaiChat } from "@tollgate/providers/dialects/openai-chat/dialect";
import { openaiEmbeddings } from "@tollgate/providers/dialects/openai-embeddings/dialect";
import { openaiResponses } from "@tollgate/providers/dialects/openai-responses/dialect";
import type { Endpoint } from "./call/call.ts";
import type { Gateway } from "./gateway.ts";
import { CallRecorder } from "./ingestion/call-recorder.ts";
import { EVENTS_PATH, handleEvents } from "./ingestion/handle-events.ts";
import { handleTraces, TRACES_PATH } from "./ingestion/handle-traces.ts";
import { RecentCalls } from "./ingestion/recent-calls.ts";
import { SeenAnswers } from "./ingestion/seen-answers.ts";
import { isAnthropicClient, pageOfModels, toAnthropicModel } from "./models/anthropic-models.ts";
import { listModels, toWireModel } from "./models/models.ts";
import { passThrough } from "./passthrough.ts";
import { handleCall, reject } from "./pipeline.ts";
import { parseObject } from "./request/parse-body.ts";
import { splitUrl } from "./request/split-url.ts";
import { authenticate, refuseTwoHosts } from "./stages/identify.ts";
import { chooseProvider } from "./stages/route.ts";

export const GATEWAY_VERSION = "1.0.0";

const claudeCode = "x-claude-code-session-id";
const openCode = "x-opencode-session";
/** Newer and older versions. */
const codex = ["session-id", "session_id"];

const endpoints: readonly Endpoint[] = [
  {
    path: "/v1/chat/completions",
    dialect: openaiChat,
    forwardsQuery: false,
    sessionHeaders: [openCode],
  },
  {
    path: "/v1/messages",
    dialect: anthropicMessages,
    forwardsQuery: true,
    sessionHeaders: [claudeCode, openCode],
  },
  { path: "/v1/embeddings", dialect: openaiEmbeddings, forwardsQuery: false, sessionHeaders: [] },
  {
    path: "/v1/responses",
    dialect: openaiResponses,
    forwardsQuery: true,
    sessionHeaders: [...codex, openCode],
  },
];

type Handler = (request: Request) => Promise<Response>;

/**
 * The paths that take calls, or tell of calls made elsewhere. The server finds them itself, so that a call does not
 * pay for reading its own URL.
 */
export function callRoutes(gateway: Gateway): Record<string, { POST: Handler }> {
  const recorder = new CallRecorder(
    gateway,
    new SeenAnswers(gateway.ledger.find),
    new RecentCalls(gateway.ledger.find),
  );
  const calls = endpoints.map(endpoint => [
    endpoint.path,
    { POST: (request: Request) => handleCall(endpoint, request, gateway) },
  ]);
  return {
    ...Object.fromEntries(calls),
    [EVENTS_PATH]: { POST: request => handleEvents(request, gateway, recorder) },
    [TRACES_PATH]: { POST: request => handleTraces(request, gateway, recorder) },
  };
}

/** Everything else: health, metrics, models, and what passes through without an event. */
export async function dispatch(
  request: Request,
  peer: () => string | null,
  gateway: Gateway,
): Promise<Response> {
  try {
    return await answerUnread(request, await answerOther(request, peer, gateway));
  } catch (fault) {
    return await reject(fault, request, gateway, {});
  }
}

async function answerOther(request: Request, peer: () => string | null, gateway: Gateway): Promise<Response> {
  refuseTwoHosts(request.headers);
  const { method } = request;
  const { path, query } = splitUrl(request.url);
  if ((method === "GET" || method === "HEAD") && path === "/health") return health(gateway);
  if (method === "GET" && path === "/metrics") return metrics(request, peer, gateway);
  if (method === "GET" && path === "/v1/models") {
    authenticate(request.headers, gateway);
    return Response.json(modelsFor(request.headers, query, gateway));
  }
  // Claude Code asks this when it starts, to see whether anybody is there.
  if (method === "HEAD" && path === "/") return new Response(null);
  const modelId = method === "GET" ? /^\/v1\/models\/(.+)$/.exec(path)?.[1] : undefined;
  if (modelId) return oneModel(request, modelId, gateway);
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
  const bytes = await gateway.bodies.read(request);
  const body = parseObject(bytes);
  const { model } = body;
  if (typeof model !== "string" || model === "")
    throw fail("invalid_request", "model must be a non-empty string");
  const chosen = chooseProvider(model, request.headers.get("x-provider"), gateway.catalogue);
  if (chosen.provider !== "anthropic") {
    throw fail("unsupported_feature", `${chosen.provider} has no endpoint that counts tokens`);
  }
  const sent =
    chosen.model === model
      ? bytes
      : new TextEncoder().encode(JSON.stringify({ ...body, model: chosen.model }));
  return await passThrough(request, "anthropic", `/v1/messages/count_tokens${query}`, gateway, sent);
}

function health(gateway: Gateway): Response {
  const { draining } = gateway.inFlight;
  const isRefusing = draining || gateway.ledger.file.isLost;
  return Response.json(
    {
      status: draining ? "stopping" : stateOf(gateway),
      timestamp: new Date(gateway.now()).toISOString(),
      version: GATEWAY_VERSION,
    },
    { status: isRefusing ? 503 : 200 },
  );
}

function stateOf({ ledger, directory }: Gateway): "ok" | "degraded" | "down" {
  if (ledger.file.isLost) return "down";
  return directory.file.isLost ? "degraded" : "ok";
}

/** Open to a program on this machine; anybody else needs a key. The control plane has the same rule. */
function metrics(request: Request, peer: () => string | null, gateway: Gateway): Response {
  if (!gateway.trustedProxies.isLocal(request.headers, peer())) authenticate(request.headers, gateway);
  const { ledger, directory } = gateway;
  const text = gateway.metrics.render({
    svc_gateway_unsettled_events: ledger.unsettled,
    svc_gateway_ledger_file_lost: ledger.file.isLost ? 1 : 0,
    svc_gateway_control_file_lost: directory.file.isLost ? 1 : 0,
  });
  return new Response(text, {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
}

function modelsFor(headers: Headers, query: string, { catalogue, now }: Gateway) {
  const at = new Date(now());
  if (!isAnthropicClient(headers)) return listModels(catalogue, at);
  return pageOfModels(catalogue, at, new URLSearchParams(query));
}

function oneModel(request: Request, escapedId: string, gateway: Gateway): Response {
  authenticate(request.headers, gateway);
  const asked = unescaped(escapedId);
  const models = gateway.catalogue.models(new Date(gateway.now()));
  // As in calls, the name may have its provider before it.
  const model = models.find(({ id, provider }) => id === asked || `${provider}/${id}` === asked);
  if (!model) throw fail("not_found", "no such model");
  return Response.json(isAnthropicClient(request.headers) ? toAnthropicModel(model) : toWireModel(model));
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
