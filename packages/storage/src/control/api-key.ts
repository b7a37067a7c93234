import type { Mode } from "@tollgate/core/event";

/** 32 random bytes: no guess and no rainbow table, so a plain SHA-256 is enough to store. */
export function newKeyText(mode: Mode): string {
  const random = crypto.getRandomValues(new Uint8Array(32));
  return `sk_${mode}_${Buffer.from(random).toString("base64url").replaceAll(/[-_]/g, "x")}`;
}

export function digestOf(keyText: string): string {
  return Bun.SHA256.hash(keyText, "hex");
}

/** The prefixes that mark a text as a key of ours, wherever it turns up; also behind the word `Bearer`. */
export function looksLikeServiceKey(text: string): boolean {
  return /^(bearer\s+)?(sk_live_|sk_test_|al_)/i.test(text);
}
