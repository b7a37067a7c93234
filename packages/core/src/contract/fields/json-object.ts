import { z } from "zod";

const MAX_BYTES = 16_384;
const MAX_DEPTH = 8;

/** A caller's own free-form keys, bounded so that they cannot hold files. */
export const jsonObject = z
  .record(z.string().min(1).max(256), z.unknown())
  .refine(value => isShallow(value, MAX_DEPTH), `must be nested at most ${MAX_DEPTH} levels deep`)
  .refine(
    value => !isShallow(value, MAX_DEPTH) || byteLength(value) <= MAX_BYTES,
    `must be at most ${MAX_BYTES} bytes of JSON`,
  );

/** The same in a response. */
export const anyJsonObject = z.record(z.string(), z.unknown());

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every(inner => isShallow(inner, levels - 1));
}

function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}
