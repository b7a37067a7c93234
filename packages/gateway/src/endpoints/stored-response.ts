import { fail } from "@tollgate/core/errors";
import type { Gateway } from "../gateway.ts";
import { readForcedProvider } from "../request/choose-provider.ts";
import { splitUrl } from "../request/split-url.ts";
import { passThrough } from "./pass-through.ts";

/** Other characters in an id could escape this path at the provider. */
const responsePath = /^\/v1\/responses\/[\w-]+(\/\w+)?$/;

/** xAI's ids are UUIDs, OpenAI's begin with `resp_`. A key must not reach another company. */
const xaiId = /^\/v1\/responses\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\/|$)/i;

/** Reads, deletes or cancels a response that `POST /v1/responses` stored at the provider. */
export function storedResponse(request: Request, gateway: Gateway): Promise<Response> {
  const { path, query } = splitUrl(request.url);
  if (!responsePath.test(path)) throw fail("not_found", "no such endpoint");
  const provider = readForcedProvider(request.headers) ?? (xaiId.test(path) ? "xai" : "openai");
  return passThrough(request, provider, path + query, gateway);
}
