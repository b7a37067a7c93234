import { fail } from "@tollgate/core/errors";
import { countOf, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { AnswerPart, CanonicalAnswer } from "../canonical/answer.ts";
import { mapFinishReason } from "./map-finish-reason.ts";

/** A `chat.completion`. Only the first choice is read: a translated call requests no other. */
export function decodeAnswer(body: unknown): CanonicalAnswer {
  const answer = jsonObjectOf(body);
  const choice = jsonObjectOf(listOf(answer?.choices)?.[0]);
  const message = jsonObjectOf(choice?.message);
  if (answer === undefined || message === undefined)
    throw fail("provider_invalid_answer", "the provider's answer has no choices[0].message");

  const parts: AnswerPart[] = [];
  const reasoning = nameOf(message.reasoning_content);
  if (reasoning !== undefined) parts.push({ kind: "reasoning", text: reasoning });
  const text = nameOf(message.content);
  if (text !== undefined) parts.push({ kind: "text", text });
  const refusal = nameOf(message.refusal);
  if (refusal !== undefined) parts.push({ kind: "refusal", text: refusal });
  let toolCall = false;
  for (const [position, item] of (listOf(message.tool_calls) ?? []).entries()) {
    const call = jsonObjectOf(item);
    const called = jsonObjectOf(call?.function);
    const name = nameOf(called?.name);
    if (name === undefined) continue;
    toolCall = true;
    const id = nameOf(call?.id) ?? `call_${position}`;
    parts.push({ kind: "tool_call", id, name, arguments: nameOf(called?.arguments) ?? "{}" });
  }
  const created = countOf(answer.created);
  return {
    id: nameOf(answer.id) ?? "",
    model: nameOf(answer.model) ?? "",
    ...(created !== undefined && { created }),
    parts,
    finish: mapFinishReason(nameOf(choice?.finish_reason) ?? "stop", {
      toolCall,
      refusal: refusal !== undefined,
    }),
  };
}
