import { fail } from "@tollgate/core/errors";
import type { Gateway } from "../gateway.ts";
import { authenticate } from "../request/authenticate.ts";
import { chooseProvider } from "../request/choose-provider.ts";
import { measureBody, parseObject } from "../request/parse-body.ts";
import { splitUrl } from "../request/split-url.ts";
import { passThrough } from "./pass-through.ts";

export const COUNT_TOKENS_PATH = "/v1/messages/count_tokens";

/** Anthropic counts tokens for free; the other providers have no such endpoint. */
export async function countTokens(request: Request, gateway: Gateway): Promise<Response> {
  const caller = authenticate(request.headers, gateway);
  const bytes = await gateway.bodies.read(request, caller.orgId);
  const body = parseObject(measureBody(bytes));
  const { model } = body;
  if (typeof model !== "string" || model === "")
    throw fail("invalid_request", "model must be a non-empty string");
  const chosen = chooseProvider(model, request.headers, gateway.catalogue);
  if (chosen.provider !== "anthropic") {
    throw fail("unsupported_feature", `${chosen.provider} has no endpoint that counts tokens`);
  }
  const sent =
    chosen.model === model
      ? bytes
      : new TextEncoder().encode(JSON.stringify({ ...body, model: chosen.model }));
  const path = COUNT_TOKENS_PATH + splitUrl(request.url).query;
  return await passThrough(request, "anthropic", path, gateway, sent);
}
