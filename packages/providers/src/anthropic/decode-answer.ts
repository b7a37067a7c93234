import { fail } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { answerToolName } from "../answer-tool.ts";
import type { AnswerPart, CanonicalAnswer } from "../canonical/answer.ts";
import { mapFinishReason } from "./map-finish-reason.ts";

export function decodeAnswer(body: unknown): CanonicalAnswer {
  if (!isJsonObject(body)) throw invalid("not an object");
  const { id, model, content, stop_reason: stopReason, stop_sequence: stopSequence } = body;
  if (typeof id !== "string" || typeof model !== "string") throw invalid("without id or model");
  if (!Array.isArray(content)) throw invalid("without content");
  if (typeof stopReason !== "string") throw invalid("without stop_reason");

  const parts = content.flatMap(decodeBlock);
  const explanation = refusalExplanation(body);
  if (explanation !== null) parts.push({ kind: "refusal", text: explanation });

  const finish = mapFinishReason(stopReason);
  const calls = parts.some(part => part.kind === "tool_call");
  return {
    id,
    model,
    parts,
    // The answer tool is an implementation detail: for the caller the model simply answered.
    finish: finish === "tool_calls" && !calls ? "stop" : finish,
    ...(typeof stopSequence === "string" ? { stopSequence } : {}),
  };
}

/** Anthropic's explanation of a refusal for the user (`stop_details`), if there is one. */
export function refusalExplanation(carrier: JsonObject): string | null {
  const details = carrier.stop_details;
  const explanation = carrier.stop_reason === "refusal" && isJsonObject(details) ? details.explanation : null;
  return typeof explanation === "string" && explanation !== "" ? explanation : null;
}

/** Server tool blocks have no equivalent, and a translated call cannot have requested them. */
function decodeBlock(block: unknown): AnswerPart[] {
  if (!isJsonObject(block)) throw invalid("with a malformed block");
  switch (block.type) {
    case "text": {
      const { text } = block;
      if (typeof text !== "string") throw invalid("with a malformed text block");
      return text === "" ? [] : [{ kind: "text", text }];
    }
    case "thinking": {
      const { thinking, signature } = block;
      if (typeof thinking !== "string") throw invalid("with a malformed thinking block");
      const isSigned = typeof signature === "string" && signature !== "";
      return [{ kind: "reasoning", text: thinking, ...(isSigned ? { signature } : {}) }];
    }
    case "redacted_thinking": {
      const { data } = block;
      if (typeof data !== "string") throw invalid("with a malformed redacted_thinking block");
      return [{ kind: "redacted_reasoning", data }];
    }
    case "tool_use": {
      const { id, name, input } = block;
      if (typeof id !== "string" || typeof name !== "string")
        throw invalid("with a malformed tool_use block");
      const json = JSON.stringify(input ?? {});
      return name === answerToolName
        ? [{ kind: "text", text: json }]
        : [{ kind: "tool_call", id, name, arguments: json }];
    }
    default:
      return [];
  }
}

function invalid(what: string) {
  return fail("provider_invalid_answer", `anthropic's answer is not a message: ${what}`);
}
