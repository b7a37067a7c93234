import { usageOf } from "@tollgate/core/money/usage";
import { countOf, type JsonObject, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { Reading } from "../meter.ts";

/** OpenAI's choice where a request names none. */
const DEFAULT_MODEL = "gpt-image-1";

/**
 * Images drawn by the answer's own tool: tokens of another model, reported beside `usage` and in none of its
 * totals.
 */
export function readDrawnImages(response: JsonObject): Reading["additional"] {
  const drawn = jsonObjectOf(jsonObjectOf(response.tool_usage)?.image_gen);
  const input = countOf(drawn?.input_tokens) ?? 0;
  const output = countOf(drawn?.output_tokens) ?? 0;
  if (input + output === 0) return [];
  const images = Math.min(countOf(jsonObjectOf(drawn?.input_tokens_details)?.image_tokens) ?? 0, input);
  const words = Math.min(countOf(jsonObjectOf(drawn?.output_tokens_details)?.text_tokens) ?? 0, output);
  return [
    {
      model: modelOf(response),
      usage: usageOf({
        input: input - images,
        input_image: images,
        output: words,
        output_image: output - words,
      }),
    },
  ];
}

function modelOf({ tools }: JsonObject): string {
  const tool = (listOf(tools) ?? []).map(jsonObjectOf).find(entry => entry?.type === "image_generation");
  return nameOf(tool?.model) ?? DEFAULT_MODEL;
}
