import { fail } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import type { FilePart, ImagePart, TextPart, UserPart } from "../canonical/request.ts";

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** Anthropic rejects a text block without a visible character, so such a part yields no block. */
export function encodeText(part: TextPart): JsonObject[] {
  return part.text.trim() === "" ? [] : [{ type: "text", text: part.text, ...cacheControl(part) }];
}

export function encodeUserPart(part: UserPart): JsonObject[] {
  switch (part.kind) {
    case "text":
      return encodeText(part);
    case "image":
      return [{ type: "image", source: imageSource(part.source), ...cacheControl(part) }];
    case "file":
      return [
        {
          type: "document",
          source: documentSource(part),
          ...(part.filename === undefined ? {} : { title: part.filename }),
          ...cacheControl(part),
        },
      ];
    case "audio":
      throw fail("unsupported_feature", "anthropic models accept no audio input");
    default:
      return part satisfies never;
  }
}

export function cacheControl(part: { readonly cacheControl?: unknown }): JsonObject {
  return part.cacheControl === undefined || part.cacheControl === null
    ? {}
    : { cache_control: part.cacheControl };
}

function imageSource(source: ImagePart["source"]): JsonObject {
  if (source.kind === "url") return { type: "url", url: source.url };
  const mediaType = source.mediaType === "image/jpg" ? "image/jpeg" : source.mediaType;
  if (!imageTypes.has(mediaType)) {
    throw fail("unsupported_feature", "anthropic models accept only JPEG, PNG, GIF or WebP images");
  }
  return { type: "base64", media_type: mediaType, data: source.data };
}

function documentSource({ mediaType, source }: FilePart): JsonObject {
  const isPdf = mediaType === "application/pdf";
  if (isPdf && source.kind === "url") return { type: "url", url: source.url };
  if (isPdf && source.kind === "base64") return { type: "base64", media_type: mediaType, data: source.data };
  if (source.kind === "base64" && mediaType.startsWith("text/")) {
    return {
      type: "text",
      media_type: "text/plain",
      data: Buffer.from(source.data, "base64").toString("utf8"),
    };
  }
  throw fail("unsupported_feature", "anthropic models accept only PDF or plain-text files");
}
