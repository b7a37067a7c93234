import type { Mode } from "@tollgate/core/event";

/** 32 random bytes: no guess and no rainbow table, so a plain SHA-256 is enough to store. */
export function newKeyText(mode: Mode): string {
  const random = crypto.getRandomValues(new Uint8Array(32));
  return `sk_${mode}_${Buffer.from(random).toString("base64url").replaceAll(/[-_]/g, "x")}`;
}

export function digestOf(keyText: string): string {
  return Bun.SHA256.hash(keyText, "hex");
}

/**
 * Whether a text holds a key of ours, however it was pasted: in quotes, behind `Bearer`, with the name of its variable.
 * No provider's key has our prefix inside it; the short one of old keys counts at the beginning only.
 */
export function looksLikeServiceKey(text: string): boolean {
  return /sk_(live|test)_|^\W*(bearer\W+)?al_/i.test(text);
}
