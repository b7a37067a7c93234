import { fail } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { FilePart, ImagePart, TextPart, UserPart } from "../../canonical/request.ts";
import { invalid, readString, requireObject, requireString } from "./request-fields.ts";

/** `content` of a user or tool message: a string, or a list of parts. */
export function decodeUserParts(message: JsonObject, path: string): UserPart[] {
  return decodeContent(message, path, decodeUserPart);
}

/** `content` where only text is allowed. */
export function decodeTextParts(message: JsonObject, path: string): TextPart[] {
  return decodeContent(message, path, (part, at) => {
    if (part.type !== "text") throw invalid(`${at}.type`, "must be `text` in a message of this role");
    return decodeText(part, at);
  });
}

function decodeContent<Part extends UserPart>(
  message: JsonObject,
  path: string,
  decodePart: (part: JsonObject, path: string) => Part,
): (Part | TextPart)[] {
  const { content } = message;
  if (typeof content === "string") return [{ kind: "text", text: content, ...cacheControl(message) }];
  if (!Array.isArray(content)) throw invalid(`${path}.content`, "must be a string or an array of parts");
  const parts: (Part | TextPart)[] = content.map((part: unknown, position) => {
    const at = `${path}.content[${position}]`;
    return decodePart(requireObject(part, at), at);
  });
  const last = parts.at(-1);
  // A breakpoint on the message applies after its last part.
  if (last !== undefined && last.kind !== "audio" && message.cache_control !== undefined)
    parts[parts.length - 1] = { ...cacheControl(message), ...last };
  return parts;
}

function decodeUserPart(part: JsonObject, path: string): UserPart {
  switch (part.type) {
    case "text":
      return decodeText(part, path);
    case "image_url":
      return decodeImage(part, path);
    case "input_audio": {
      const audio = requireObject(part.input_audio, `${path}.input_audio`);
      const data = requireString(audio, "data", `${path}.input_audio.data`);
      return { kind: "audio", format: requireString(audio, "format", `${path}.input_audio.format`), data };
    }
    case "file":
      return decodeFile(part, path);
    default:
      throw fail("unsupported_feature", `\`${path}.type\` is not supported by this provider`);
  }
}

export function decodeText(part: JsonObject, path: string): TextPart {
  if (typeof part.text !== "string") throw invalid(`${path}.text`, "must be a string");
  return { kind: "text", text: part.text, ...cacheControl(part) };
}

function decodeImage(part: JsonObject, path: string): ImagePart {
  const image = requireObject(part.image_url, `${path}.image_url`);
  const at = `${path}.image_url.url`;
  const url = requireString(image, "url", at);
  const detail = readString(image, "detail", `${path}.image_url.detail`);
  const extras = { ...(detail !== undefined && { detail }), ...cacheControl(part) };
  if (/^https?:\/\//i.test(url)) return { kind: "image", source: { kind: "url", url }, ...extras };
  const inline = parseDataUrl(url);
  if (inline === undefined) throw invalid(at, "must be an http(s) URL or a base64 `data:` URL");
  return { kind: "image", source: { kind: "base64", ...inline }, ...extras };
}

function decodeFile(part: JsonObject, path: string): FilePart {
  const file = requireObject(part.file, `${path}.file`);
  if (file.file_id !== undefined && file.file_id !== null)
    throw fail("unsupported_feature", `\`${path}.file.file_id\` names a file that only OpenAI has`);
  const at = `${path}.file.file_data`;
  const inline = parseDataUrl(requireString(file, "file_data", at));
  if (inline === undefined) throw invalid(at, "must be a base64 `data:` URL");
  const filename = readString(file, "filename", `${path}.file.filename`);
  return {
    kind: "file",
    mediaType: inline.mediaType,
    ...(filename !== undefined && { filename }),
    source: { kind: "base64", data: inline.data },
    ...cacheControl(part),
  };
}

/** Only looks at the part before the comma: the rest may be megabytes. */
export function parseDataUrl(url: string): { mediaType: string; data: string } | undefined {
  const comma = url.indexOf(",");
  if (comma < 0 || !url.startsWith("data:")) return undefined;
  const [mediaType = "", ...parameters] = url.slice("data:".length, comma).split(";");
  if (mediaType === "" || parameters.at(-1) !== "base64") return undefined;
  return { mediaType: mediaType.toLowerCase(), data: url.slice(comma + 1) };
}

export function cacheControl(fields: JsonObject): { cacheControl?: unknown } {
  const control = fields.cache_control;
  return control === undefined || control === null ? {} : { cacheControl: control };
}
