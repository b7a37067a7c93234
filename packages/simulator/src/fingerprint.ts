import { createHash } from "node:crypto";

/** Ids and padding of one answer, derived from its request: the same request always gives the same bytes. */
export interface Fingerprint {
  hex(label: string, length: number): string;
  alphanumeric(label: string, length: number): string;
  uuid(label: string): string;
  /** An integer from 0 to `limit`, exclusive. */
  below(label: string, limit: number): number;
}

const HEX = "0123456789abcdef";
const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export function fingerprint(...parts: readonly string[]): Fingerprint {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  const seed = hash.digest();
  // Hashing for every chunk's padding would cost more than the answer itself.
  const numbers = (label: string) => {
    let state = seed.readUInt32LE(0);
    for (let at = 0; at < label.length; at += 1) {
      state = Math.imul(state ^ label.charCodeAt(at), 0x01000193) ^ seed.readUInt32LE((at % 7) * 4);
    }
    return randomSequence(state);
  };
  const spell = (alphabet: string) => (label: string, length: number) => {
    const next = numbers(label);
    let text = "";
    for (let at = 0; at < length; at += 1) text += alphabet[Math.floor(next() * alphabet.length)];
    return text;
  };
  const hex = spell(HEX);
  return {
    hex,
    alphanumeric: spell(ALPHANUMERIC),
    uuid: label => hex(label, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-a$4-$5"),
    below: (label, limit) => Math.floor(numbers(label)() * limit),
  };
}

/** mulberry32: numbers in [0, 1) that depend only on the seed. */
export function randomSequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
