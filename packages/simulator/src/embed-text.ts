import { createHash } from "node:crypto";
import { randomSequence } from "./fingerprint.ts";

/** A unit vector that depends only on the text. Its numbers are exact float32, so both encodings agree. */
export function embedText(text: string, dimensions: number): number[] {
  const next = randomSequence(createHash("sha256").update(text).digest().readUInt32LE(0));
  const raw = Array.from({ length: dimensions }, () => next() * 2 - 1);
  const length = Math.sqrt(raw.reduce((sum, value) => sum + value * value, 0));
  return raw.map(value => Math.fround(value / length));
}
