import { fail } from "@tollgate/core/errors";
import type { UserPart } from "../canonical/request.ts";
import type { ContentPart } from "./content.ts";

const audioTypes: Readonly<Record<string, string>> = {
  wav: "audio/wav",
  mp3: "audio/mp3",
  aac: "audio/aac",
  flac: "audio/flac",
  ogg: "audio/ogg",
  aiff: "audio/aiff",
};

/** null: an empty text, which Gemini rejects as a part. */
export function encodeUserPart(part: UserPart): ContentPart | null {
  switch (part.kind) {
    case "text":
      return part.text === "" ? null : { text: part.text };
    case "image":
      if (part.source.kind === "base64") return inlineData(part.source.mediaType, part.source.data);
      return fileData(part.source.url, "image");
    case "audio": {
      const mimeType = Object.hasOwn(audioTypes, part.format) ? audioTypes[part.format] : undefined;
      if (mimeType === undefined) {
        throw fail(
          "unsupported_feature",
          `google takes audio as ${Object.keys(audioTypes).join(", ")}, and no other format`,
        );
      }
      return inlineData(mimeType, part.data);
    }
    case "file":
      if (part.source.kind === "base64") return inlineData(part.mediaType, part.source.data);
      return fileData(part.source.url, "file", part.mediaType);
    default:
      return part satisfies never;
  }
}

function inlineData(mimeType: string, data: string): ContentPart {
  return { inlineData: { mimeType, data } };
}

/** Google reads only files stored at Google. Fetching another address ourselves would let callers reach our network. */
function fileData(url: string, what: "image" | "file", mimeType?: string): ContentPart {
  if (!isGoogleUri(url)) {
    throw fail(
      "unsupported_feature",
      `${what} URLs cannot be passed to google: send the ${what} itself, base64-encoded`,
    );
  }
  return { fileData: mimeType ? { mimeType, fileUri: url } : { fileUri: url } };
}

function isGoogleUri(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  if (parsed.protocol === "gs:") return true;
  return (
    parsed.protocol === "https:" &&
    parsed.host === "generativelanguage.googleapis.com" &&
    /^\/v\w+\/files\//.test(parsed.pathname)
  );
}
