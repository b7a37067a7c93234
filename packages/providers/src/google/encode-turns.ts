import { fail } from "@tollgate/core/errors";
import { parseExactly } from "@tollgate/core/wire/exact-json";
import { jsonObjectOf } from "@tollgate/core/wire/json-fields";
import type { AssistantPart, TextPart, ToolCallPart, Turn } from "../canonical/request.ts";
import type { Content, ContentPart, FunctionCallPart } from "./content.ts";
import { encodeToolResults } from "./encode-tool-results.ts";
import { encodeUserPart } from "./encode-user-part.ts";
import type { ModelFamily } from "./model-traits.ts";

/** Google's placeholder for a lost signature: without it Gemini 3 rejects a part that it cannot verify. */
const LOST_SIGNATURE = "skip_thought_signature_validator";

interface EncodedTurns {
  readonly systemInstruction?: { readonly parts: readonly ContentPart[] };
  readonly contents: readonly Content[];
}

export function encodeTurns(turns: readonly Turn[], family: ModelFamily): EncodedTurns {
  const start = turns.findIndex(turn => turn.role !== "system");
  const leading = start === -1 ? turns : turns.slice(0, start);
  const rest = start === -1 ? [] : turns.slice(start);

  const system = leading.flatMap(turn => (turn.role === "system" ? encodeTexts(turn.parts) : []));
  const contents = mergeNeighbours(rest.map(encodeTurn)).map(content =>
    family.release >= 300 && content.role === "model" ? signLost(content, family) : content,
  );
  // `contents` must not be empty, and other providers do answer a conversation of only system text.
  if (contents.length === 0 && system.length > 0) return { contents: [{ role: "user", parts: system }] };
  return { ...(system.length > 0 && { systemInstruction: { parts: system } }), contents };
}

function encodeTurn(turn: Turn): Content {
  switch (turn.role) {
    case "system": // Gemini knows system text only before the conversation
      return { role: "user", parts: encodeTexts(turn.parts) };
    case "user":
      return { role: "user", parts: turn.parts.map(encodeUserPart).filter(part => part !== null) };
    case "assistant":
      return { role: "model", parts: turn.parts.map(encodeAssistantPart).filter(part => part !== null) };
    case "tool":
      return { role: "user", parts: encodeToolResults(turn.results) };
    default:
      return turn satisfies never;
  }
}

function encodeTexts(parts: readonly TextPart[]): ContentPart[] {
  return parts.filter(part => part.text !== "").map(part => ({ text: part.text }));
}

function encodeAssistantPart(part: AssistantPart): ContentPart | null {
  switch (part.kind) {
    case "text":
      return part.text === "" ? null : { text: part.text, ...encodeSignature(part) };
    case "refusal":
      return part.text === "" ? null : { text: part.text };
    case "tool_call":
      return encodeCall(part);
    case "generated_image":
      return { inlineData: { mimeType: part.mediaType, data: part.data }, ...encodeSignature(part) };
    // Gemini expects its thoughts back only as signatures of other parts, and rejects another provider's signature.
    case "reasoning":
    case "redacted_reasoning":
      return null;
    default:
      return part satisfies never;
  }
}

function encodeCall(call: ToolCallPart): FunctionCallPart {
  return {
    functionCall: { name: call.name, id: call.id, args: parseArguments(call) },
    ...encodeSignature(call),
  };
}

function encodeSignature({ signature }: { readonly signature?: string }): { thoughtSignature?: string } {
  return signature === undefined ? {} : { thoughtSignature: signature };
}

function parseArguments(call: ToolCallPart): Readonly<Record<string, unknown>> {
  const args = jsonObjectOf(parseJson(call.arguments));
  if (args) return args;
  throw fail(
    "invalid_request",
    `the arguments of tool call ${JSON.stringify(call.id.slice(0, 100))} are not a JSON object`,
  );
}

function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Drops empty turns, and merges turns that then have an adjacent turn of the same role. */
function mergeNeighbours(contents: readonly Content[]): Content[] {
  const merged: { role: Content["role"]; parts: ContentPart[] }[] = [];
  for (const { role, parts } of contents) {
    if (parts.length === 0) continue;
    const last = merged.at(-1);
    // Appended, not copied: with many thousands of turns of one role, copying would take minutes.
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else merged.push({ role, parts: [...parts] });
  }
  return merged;
}

/**
 * Of parallel calls only the first has a signature, so only the first can lack it. Image models verify their text, too.
 */
function signLost({ role, parts }: Content, { speaksText }: ModelFamily): Content {
  const firstCall = parts.findIndex(part => "functionCall" in part);
  const signed = parts.map((part, at) =>
    (at === firstCall && "functionCall" in part) || "inlineData" in part || (!speaksText && "text" in part)
      ? { thoughtSignature: LOST_SIGNATURE, ...part }
      : part,
  );
  return { role, parts: signed };
}
