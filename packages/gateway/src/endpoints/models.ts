import { fail } from "@tollgate/core/errors";
import { centsPerMillion } from "@tollgate/core/money/money";
import type { CatalogueModel } from "@tollgate/core/pricing/catalogue";
import type { Gateway } from "../gateway.ts";
import { authenticate } from "../request/authenticate.ts";
import { splitUrl } from "../request/split-url.ts";
import { isAnthropicClient, pageOfModels, toAnthropicModel } from "./anthropic-models.ts";

/** `GET /v1/models`: available models and prices, in Anthropic's or OpenAI's format. */
export function allModels(request: Request, gateway: Gateway): Response {
  authenticate(request.headers, gateway);
  const { catalogue, now } = gateway;
  const at = new Date(now());
  if (!isAnthropicClient(request.headers)) {
    return Response.json({ object: "list", data: catalogue.models(at).map(toOpenaiModel) });
  }
  return Response.json(pageOfModels(catalogue, at, new URLSearchParams(splitUrl(request.url).query)));
}

export const MODEL_PREFIX = "/v1/models/";

/** `GET /v1/models/<id>`. As in calls, the id may have a provider prefix: `openai/gpt-4o`. */
export function oneModel(request: Request, gateway: Gateway): Response {
  const escapedId = splitUrl(request.url).path.slice(MODEL_PREFIX.length);
  if (escapedId === "") throw fail("not_found", "no such endpoint");
  authenticate(request.headers, gateway);
  const asked = unescaped(escapedId);
  const models = gateway.catalogue.models(new Date(gateway.now()));
  const model = models.find(({ id, provider }) => id === asked || `${provider}/${id}` === asked);
  if (!model) throw fail("not_found", "no such model");
  return Response.json(isAnthropicClient(request.headers) ? toAnthropicModel(model) : toOpenaiModel(model));
}

function toOpenaiModel(model: CatalogueModel) {
  return {
    id: model.id,
    object: "model",
    created: model.created,
    owned_by: model.provider,
    pricing: {
      input_per_million_cents: centsPerMillion(model.inputRate),
      output_per_million_cents: centsPerMillion(model.outputRate),
    },
  };
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
