import { fail } from "@tollgate/core/errors";
import { jsonObjectOf } from "@tollgate/core/wire/json-fields";
import type { ToolResult } from "../canonical/request.ts";
import type { ContentPart } from "./content.ts";
import { encodeUserPart } from "./encode-user-part.ts";

/**
 * All results of one assistant turn. The responses come first and alone: Gemini counts them against the calls of the
 * previous turn, so an image that a tool returned follows them as a separate part.
 */
export function encodeToolResults(results: readonly ToolResult[]): ContentPart[] {
  const responses: ContentPart[] = [];
  const media: ContentPart[] = [];
  for (const result of results) {
    if (result.name === undefined) {
      throw fail(
        "invalid_request",
        `google needs the name of the called function, but no tool call in this conversation has the id of the ` +
          `tool result (tool_call_id ${JSON.stringify(result.callId.slice(0, 100))})`,
      );
    }
    const texts: string[] = [];
    for (const part of result.content) {
      if (part.kind === "text") {
        texts.push(part.text);
        continue;
      }
      const encoded = encodeUserPart(part);
      if (encoded) media.push(encoded);
    }
    const response = encodeResponse(texts.join("\n"), result.isError);
    responses.push({ functionResponse: { name: result.name, id: result.callId, response } });
  }
  return [...responses, ...media];
}

/** Gemini accepts only an object here. */
function encodeResponse(text: string, isError: boolean): Readonly<Record<string, unknown>> {
  if (isError) return { error: text };
  return parseObject(text) ?? { result: text };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return keepsItsNumbers(value) ? jsonObjectOf(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Google stores numbers as doubles: a 19-digit id would change, and the model would pass it to its next tool. */
function keepsItsNumbers(value: unknown): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(keepsItsNumbers);
}
