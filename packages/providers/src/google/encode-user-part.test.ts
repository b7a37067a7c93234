import { describe, expect, it } from "bun:test";
import type { UserPart } from "../canonical/request.ts";
import { encodeUserPart } from "./encode-user-part.ts";

const files = "https://generativelanguage.googleapis.com/v1beta/files/abc";

describe("encodeUserPart", () => {
  const cases: [string, UserPart, unknown][] = [
    ["text", { kind: "text", text: "hi", cacheControl: { type: "ephemeral" } }, { text: "hi" }],
    ["empty text", { kind: "text", text: "" }, null],
    [
      "an image",
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "iVBO" }, detail: "low" },
      { inlineData: { mimeType: "image/png", data: "iVBO" } },
    ],
    [
      "an image from the files API",
      { kind: "image", source: { kind: "url", url: files } },
      { fileData: { fileUri: files } },
    ],
    [
      "an image in cloud storage",
      { kind: "image", source: { kind: "url", url: "gs://bucket/cat.png" } },
      { fileData: { fileUri: "gs://bucket/cat.png" } },
    ],
    [
      "wav audio",
      { kind: "audio", format: "wav", data: "UklG" },
      { inlineData: { mimeType: "audio/wav", data: "UklG" } },
    ],
    [
      "mp3 audio",
      { kind: "audio", format: "mp3", data: "SUQz" },
      { inlineData: { mimeType: "audio/mp3", data: "SUQz" } },
    ],
    [
      "a PDF",
      {
        kind: "file",
        mediaType: "application/pdf",
        filename: "a.pdf",
        source: { kind: "base64", data: "JVBE" },
      },
      { inlineData: { mimeType: "application/pdf", data: "JVBE" } },
    ],
    [
      "a file from the files API",
      { kind: "file", mediaType: "application/pdf", source: { kind: "url", url: files } },
      { fileData: { mimeType: "application/pdf", fileUri: files } },
    ],
  ];
  it.each(cases)("GW-019 encodes %s for google", (_, part, encoded) => {
    expect(encodeUserPart(part)).toEqual(encoded as ReturnType<typeof encodeUserPart>);
  });

  it.each([
    "https://example.com/cat.png",
    "http://169.254.169.254/latest/meta-data",
    "http://generativelanguage.googleapis.com/v1beta/files/abc",
    "https://generativelanguage.googleapis.com@example.com/v1beta/files/abc",
    "https://generativelanguage.googleapis.com.example.com/v1beta/files/abc",
    "https://generativelanguage.googleapis.com/v1beta/models",
    "not a url",
  ])("rejects the image URL %s with an alternative, instead of fetching it", url => {
    expect(() => encodeUserPart({ kind: "image", source: { kind: "url", url } })).toThrow(
      expect.objectContaining({
        code: "unsupported_feature",
        status: 400,
        message: "image URLs cannot be passed to google: send the image itself, base64-encoded",
      }),
    );
  });

  it.each(["pcm16", "constructor"])("rejects audio as %s", format => {
    expect(() => encodeUserPart({ kind: "audio", format, data: "" })).toThrow(
      expect.objectContaining({ code: "unsupported_feature" }),
    );
  });
});
