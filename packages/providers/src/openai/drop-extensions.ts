import { type JsonObject, jsonObjectOf, listOf } from "@tollgate/core/wire/json-fields";

/** A chat request without what this gateway adds to the messages of other providers, and clients send back. */
export function dropExtensions(body: JsonObject): JsonObject {
  const messages = listOf(body.messages);
  const plain = messages?.map(dropFromMessage);
  const isChanged = plain?.some((message, at) => message !== messages?.[at]);
  return isChanged ? { ...body, messages: plain } : body;
}

/** The same value if there is nothing to drop. */
function dropFromMessage(value: unknown): unknown {
  const message = jsonObjectOf(value);
  if (message?.role !== "assistant") return value;
  const calls = listOf(message.tool_calls);
  const isSigned = calls?.some(call => jsonObjectOf(call)?.extra_content !== undefined) === true;
  if (message.images === undefined && message.extra_content === undefined && !isSigned) return value;
  const { images: _images, extra_content: _extra, ...rest } = message;
  return isSigned ? { ...rest, tool_calls: calls?.map(dropSignature) } : rest;
}

function dropSignature(value: unknown): unknown {
  const call = jsonObjectOf(value);
  if (call === undefined) return value;
  const { extra_content: _, ...rest } = call;
  return rest;
}
