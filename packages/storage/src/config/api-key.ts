import type { Mode } from "@tollgate/core/event";

/** 32 random bytes cannot be guessed or looked up, so storing a plain SHA-256 is enough. */
export function newKeyText(mode: Mode): string {
  const random = crypto.getRandomValues(new Uint8Array(32));
  return `sk_${mode}_${Buffer.from(random).toString("base64url").replaceAll(/[-_]/g, "x")}`;
}

export function digestOf(keyText: string): string {
  return Bun.SHA256.hash(keyText, "hex");
}

/**
 * Whether a text contains one of our keys, however it was pasted: in quotes, after `Bearer`, or as a variable
 * assignment. No provider's key contains our prefix; the short prefix of old keys counts only at the beginning.
 */
export function looksLikeServiceKey(text: string): boolean {
  return /sk_(live|test)_|^\W*(bearer\W+)?al_/i.test(text);
}
