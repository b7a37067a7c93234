import { countOf, type JsonObject, jsonObjectOf, listOf, nameOf } from "@tollgate/core/wire/json-fields";
import type { AnswerEvent } from "../canonical/answer.ts";
import type { StreamDecoder } from "../provider.ts";
import { decodeStreamError } from "./decode-error.ts";
import { mapFinishReason } from "./map-finish-reason.ts";

interface OpenCall {
  readonly index: number;
  id: string | undefined;
  started: boolean;
  /** Arguments that arrived before the name, held back because they must not precede the call's start. */
  early: string;
}

/** `chat.completion.chunk` frames of the first choice. `finish` waits for the end: an error may still follow it. */
export function createStreamDecoder(): StreamDecoder {
  const calls = new Map<number, OpenCall>();
  let started = false;
  let reason: string | undefined;
  let called = false;
  let refused = false;
  let failed = false;

  function decodeCall(item: unknown, events: AnswerEvent[]): void {
    const delta = jsonObjectOf(item);
    if (delta === undefined) return;
    const key = countOf(delta.index) ?? calls.size;
    let call = calls.get(key);
    if (call === undefined) {
      call = { index: calls.size, id: undefined, started: false, early: "" };
      calls.set(key, call);
    }
    call.id ??= nameOf(delta.id);
    const definition = jsonObjectOf(delta.function);
    const name = nameOf(definition?.name);
    if (!call.started && name !== undefined) {
      call.started = true;
      called = true;
      events.push({ kind: "tool_start", index: call.index, id: call.id ?? `call_${call.index}`, name });
    }
    const fragment = call.early + (nameOf(definition?.arguments) ?? "");
    call.early = call.started ? "" : fragment;
    if (call.started && fragment !== "") events.push({ kind: "tool_arguments", index: call.index, fragment });
  }

  function decodeDelta(delta: JsonObject, events: AnswerEvent[]): void {
    const reasoning = nameOf(delta.reasoning_content);
    if (reasoning !== undefined) events.push({ kind: "reasoning", text: reasoning });
    const text = nameOf(delta.content);
    if (text !== undefined) events.push({ kind: "text", text });
    const refusal = nameOf(delta.refusal);
    if (refusal !== undefined) {
      refused = true;
      events.push({ kind: "refusal", text: refusal });
    }
    for (const item of listOf(delta.tool_calls) ?? []) decodeCall(item, events);
  }

  return {
    decode(frame) {
      const chunk = jsonObjectOf(frame);
      if (chunk === undefined || failed) return [];
      if (chunk.error !== undefined && chunk.error !== null) {
        failed = true;
        return [{ kind: "error", error: decodeStreamError(chunk) }];
      }
      const events: AnswerEvent[] = [];
      if (!started) {
        started = true;
        events.push({ kind: "start", id: nameOf(chunk.id) ?? "", model: nameOf(chunk.model) ?? "" });
      }
      for (const item of listOf(chunk.choices) ?? []) {
        const choice = jsonObjectOf(item);
        if (choice === undefined || (choice.index !== undefined && choice.index !== 0)) continue;
        const delta = jsonObjectOf(choice.delta);
        if (delta !== undefined) decodeDelta(delta, events);
        reason = nameOf(choice.finish_reason) ?? reason;
      }
      return events;
    },
    end() {
      if (failed || reason === undefined) return [];
      const finish = mapFinishReason(reason, { toolCall: called, refusal: refused });
      return [{ kind: "finish", finish }];
    },
  };
}
