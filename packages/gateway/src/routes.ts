import { fail } from "@tollgate/core/errors";
import { answerUnread } from "@tollgate/core/wire/request-bodies";
import { anthropicMessages } from "@tollgate/providers/dialects/anthropic-messages/dialect";
import { openaiChat } from "@tollgate/providers/dialects/openai-chat/dialect";
import { openaiEmbeddings } from "@tollgate/providers/dialects/openai-embeddings/dialect";
import { openaiResponses } from "@tollgate/providers/dialects/openai-responses/dialect";
import { COUNT_TOKENS_PATH, countTokens } from "./endpoints/count-tokens.ts";
import { health } from "./endpoints/health.ts";
import { metrics } from "./endpoints/metrics.ts";
import { allModels, MODEL_PREFIX, oneModel } from "./endpoints/models.ts";
import { storedResponse } from "./endpoints/stored-response.ts";
import type { Gateway } from "./gateway.ts";
import { CallRecorder } from "./ingestion/call-recorder.ts";
import { EVENTS_PATH, handleEvents } from "./ingestion/handle-events.ts";
import { handleTraces, TRACES_PATH } from "./ingestion/handle-traces.ts";
import { RecentCalls } from "./ingestion/recent-calls.ts";
import { SeenAnswers } from "./ingestion/seen-answers.ts";
import { handleCall } from "./pipeline.ts";
import { reject } from "./refusals/reject.ts";
import { refuseTwoHosts } from "./request/authenticate.ts";
import type { Endpoint } from "./request/routed.ts";

const claudeCode = "x-claude-code-session-id";
const openCode = "x-opencode-session";
/** Header names of newer and older versions. */
const codex = ["session-id", "session_id"];

export const chatEndpoint: Endpoint = {
  path: "/v1/chat/completions",
  dialect: openaiChat,
  forwardsQuery: false,
  sessionHeaders: [openCode],
};

const endpoints: readonly Endpoint[] = [
  chatEndpoint,
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

/** The part of the server that a handler needs. */
interface PeerSource {
  requestIP(request: Request): { readonly address: string } | null;
}

type Handler = (request: Request, server: PeerSource) => Promise<Response>;
type Method = "GET" | "HEAD" | "POST" | "DELETE";
type Route = { readonly [method in Method]?: Handler };

/** Every path. The server matches them, so calls do not pay for parsing their URL. */
export function gatewayRoutes(gateway: Gateway): Record<string, Route> {
  return { ...callRoutes(gateway), ...otherRoutes(gateway) };
}

/** Paths that accept calls, or reports of calls made elsewhere. */
function callRoutes(gateway: Gateway): Record<string, Route> {
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

/** Paths that leave no event. */
function otherRoutes(gateway: Gateway): Record<string, Route> {
  const answering =
    (answer: (request: Request, server: PeerSource) => Response | Promise<Response>): Handler =>
    (request, server) =>
      answerPlain(request, gateway, () => answer(request, server));
  const stored = answering(request => storedResponse(request, gateway));
  // Without its own entry, the server would answer HEAD by running GET.
  const HEAD = answering(notFound);
  return {
    // Claude Code sends this at startup, to check whether the gateway is up.
    "/": { HEAD: answering(() => new Response(null)) },
    "/health": { GET: answering(() => health(gateway)), HEAD: answering(() => health(gateway)) },
    "/metrics": {
      GET: answering((request, server) =>
        metrics(request, server.requestIP(request)?.address ?? null, gateway),
      ),
      HEAD,
    },
    "/v1/models": { GET: answering(request => allModels(request, gateway)), HEAD },
    [`${MODEL_PREFIX}*`]: { GET: answering(request => oneModel(request, gateway)), HEAD },
    [COUNT_TOKENS_PATH]: { POST: answering(request => countTokens(request, gateway)) },
    "/v1/responses/:id": { GET: stored, DELETE: stored, HEAD },
    "/v1/responses/:id/input_items": { GET: stored, HEAD },
    "/v1/responses/:id/cancel": { POST: stored },
  };
}

/** Any other path or method. */
export function answerUnknown(request: Request, gateway: Gateway): Promise<Response> {
  return answerPlain(request, gateway, notFound);
}

function notFound(): never {
  throw fail("not_found", "no such endpoint");
}

async function answerPlain(
  request: Request,
  gateway: Gateway,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    refuseTwoHosts(request.headers);
    return await answerUnread(request, await answer());
  } catch (fault) {
    return await reject(fault, request, gateway, {});
  }
}
