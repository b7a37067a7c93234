import { fail } from "@tollgate/core/errors";
import type { Dialect } from "../../dialect.ts";
import { encodeError } from "../openai-chat/encode-error.ts";
import { invalid, readBoolean, readPositiveInteger, requireString } from "../openai-chat/request-fields.ts";
import { NativeResponsesStream } from "./native-stream.ts";

/** Any of these gives the model something to answer. */
const sources = ["input", "prompt", "previous_response_id", "conversation"];

/** `POST /v1/responses`, available only for providers that have it themselves. */
export const openaiResponses: Dialect = {
  id: "openai-responses",

  summarize(body) {
    const model = requireString(body, "model"); // OpenAI lets a `prompt` name it, but then we cannot route
    const { input } = body;
    if (input !== undefined && input !== null && typeof input !== "string" && !Array.isArray(input))
      throw invalid("input", "must be a string or an array");
    if (sources.every(field => body[field] === undefined || body[field] === null))
      throw invalid("input", "is missing");
    // A background response returns before it is generated, and is fetched without us: its cost would never be seen.
    if (readBoolean(body, "background") === true)
      throw fail("unsupported_feature", "`background` is not available through the gateway");
    return {
      model,
      stream: readBoolean(body, "stream") ?? false,
      wantsStreamUsage: false, // no such option: usage always comes with the last frame
      maxOutputTokens: readPositiveInteger(body, "max_output_tokens") ?? null,
      choices: 1,
    };
  },

  prefix(body) {
    const { instructions, tools } = body;
    const hasInstructions = typeof instructions === "string" && instructions !== "";
    const hasTools = Array.isArray(tools) && tools.length > 0;
    if (!hasInstructions && !hasTools) return "";
    return JSON.stringify([hasTools ? tools : null, hasInstructions ? instructions : null]);
  },

  prepareNative: (body, model) => (body.model === model ? body : { ...body, model }),

  capOutput: (body, tokens) => ({ ...body, max_output_tokens: tokens }),

  openNativeStream: meter => new NativeResponsesStream(meter),

  encodeError,
};
