import { bareModel } from "./model-path.ts";

/** What a model accepts, derived from its name. Unknown names get the oldest, smallest set. */
export interface ModelFamily {
  /** `gemini-3.1-…` is 301; 0 if the name has no version. */
  readonly release: number;
  readonly size: "pro" | "flash" | "flash-lite" | "other";
  /** Image and speech models reject a `thinkingConfig`. */
  readonly speaksText: boolean;
  /** The longest answer that is not streamed, if it is shorter than the longest stream. */
  readonly mostUnstreamedTokens: number | null;
}

export function generatesImages(model: string): boolean {
  return /-image\b/.test(bareModel(model));
}

/** `gemini-flash-latest` and similar aliases move; since 2026 they are third generation or later. */
const LATEST = 99_999;

export function modelFamily(model: string): ModelFamily {
  const name = bareModel(model);
  const version = /^gemini-(\d{1,2})(?:\.(\d{1,2}))?(?:-|$)/.exec(name);
  const numbered = version ? Number(version[1]) * 100 + Number(version[2] ?? 0) : 0;
  const isLatest = /^gemini-(?:pro|flash|flash-lite)-latest$/.test(name);
  return {
    release: isLatest ? LATEST : numbered,
    size: /-flash-lite\b/.test(name)
      ? "flash-lite"
      : /-flash\b/.test(name)
        ? "flash"
        : /-pro\b/.test(name)
          ? "pro"
          : "other",
    speaksText: !/-(?:image|tts)\b/.test(name),
    mostUnstreamedTokens: numbered >= 400 ? 32_768 : null,
  };
}
