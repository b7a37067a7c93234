import { fail, type TollgateError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { AssistantPart, TextPart, UserPart } from "../../canonical/request.ts";
import { readField, requireObject, requireString } from "./read-field.ts";

/** `content` as blocks, each with its path for error messages. */
export function listBlocks(content: unknown, path: string): { block: JsonObject; path: string }[] {
  if (typeof content === "string") return [{ block: { type: "text", text: content }, path }];
  if (!Array.isArray(content)) throw fail("invalid_request", `\`${path}\` must be a string or an array`);
  return content.map((block: unknown, index) => {
    const at = `${path}[${index}]`;
    return { block: requireObject(block, at), path: at };
  });
}

export function decodeText(block: JsonObject, path: string): TextPart {
  if (block.type !== "text") throw untranslatable(block);
  return { kind: "text", text: requireString(block, "text", path), ...cacheControl(block) };
}

export function decodeUserBlock(block: JsonObject, path: string): UserPart[] {
  switch (block.type) {
    case "text":
      return [decodeText(block, path)];
    case "image":
      return [decodeImage(block, path)];
    case "document":
      return decodeDocument(block, path);
    default:
      throw untranslatable(block);
  }
}

export function decodeAssistantBlock(block: JsonObject, path: string): AssistantPart {
  switch (block.type) {
    case "text":
      return decodeText(block, path);
    case "thinking": {
      const signature = readField.string(block, "signature", path);
      const text = requireString(block, "thinking", path);
      return { kind: "reasoning", text, ...(signature ? { signature } : {}) };
    }
    case "redacted_thinking":
      return { kind: "redacted_reasoning", data: requireString(block, "data", path) };
    case "tool_use":
      return {
        kind: "tool_call",
        id: requireString(block, "id", path),
        name: requireString(block, "name", path),
        arguments: JSON.stringify(readField.object(block, "input", path) ?? {}),
      };
    default:
      throw untranslatable(block);
  }
}

export function cacheControl(block: JsonObject): { cacheControl?: unknown } {
  const control = block.cache_control;
  return control === undefined || control === null ? {} : { cacheControl: control };
}

function decodeImage(block: JsonObject, path: string): UserPart {
  const source = requireObject(block.source, `${path}.source`);
  const at = `${path}.source`;
  switch (source.type) {
    case "base64": {
      const mediaType = requireString(source, "media_type", at);
      const data = requireString(source, "data", at);
      return { kind: "image", source: { kind: "base64", mediaType, data }, ...cacheControl(block) };
    }
    case "url":
      return {
        kind: "image",
        source: { kind: "url", url: requireString(source, "url", at) },
        ...cacheControl(block),
      };
    default:
      throw uploaded(at);
  }
}

function decodeDocument(block: JsonObject, path: string): UserPart[] {
  const at = `${path}.source`;
  const source = requireObject(block.source, at);
  const title = readField.string(block, "title", path);
  const named = { ...(title === undefined ? {} : { filename: title }), ...cacheControl(block) };
  switch (source.type) {
    case "base64": {
      const mediaType = requireString(source, "media_type", at);
      const data = requireString(source, "data", at);
      return [{ kind: "file", mediaType, source: { kind: "base64", data }, ...named }];
    }
    case "url": {
      // Anthropic fetches documents by URL only as PDF.
      const url = requireString(source, "url", at);
      return [{ kind: "file", mediaType: "application/pdf", source: { kind: "url", url }, ...named }];
    }
    case "text":
      return [{ kind: "text", text: requireString(source, "data", at), ...cacheControl(block) }];
    case "content":
      return listBlocks(source.content, `${at}.content`).flatMap(inner =>
        decodeUserBlock(inner.block, inner.path),
      );
    default:
      throw uploaded(at);
  }
}

function uploaded(path: string): TollgateError {
  return fail(
    "unsupported_feature",
    `\`${path}\` must be of type base64, url or text: files kept at anthropic cannot reach another provider`,
  );
}

/** Blocks of Anthropic's own tools. The type comes from the client, so it is truncated. */
function untranslatable(block: JsonObject): TollgateError {
  const type = typeof block.type === "string" ? block.type.slice(0, 64) : "unknown";
  return fail(
    "unsupported_feature",
    `a content block of type \`${type}\` has no equivalent at this model's provider`,
  );
}
