import { fail, type TollgateError } from "../errors.ts";
import { MAX_BODY_BYTES } from "./request-body.ts";

/** Of a machine's memory, for one process. Forwarding a body takes as much memory again. */
const SHARE_OF_MEMORY = 1 / 8;
/** However little memory there is, an owner has room for the longest body with the most values. */
const LEAST_BYTES = 10 * MAX_BODY_BYTES;
/** Smaller bodies are not counted: thousands of them are no danger, and counting would cost every call something. */
const SMALL_BYTES = 65_536;

/**
 * Bounds the memory of large request bodies, while they arrive and for as long as calls need them. Otherwise a few
 * hundred requests of 10 MB that wait for a slow provider would end the process, and everybody's calls with it. One
 * owner may take half of it, so that others' requests go on.
 */
export class BodyRoom {
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(private readonly maxBytes: number) {}

  static ofMachine(memoryBytes: number): BodyRoom {
    return new BodyRoom(Math.max(memoryBytes * SHARE_OF_MEMORY, LEAST_BYTES));
  }

  /** A body has this size, or has grown to it. Throws if there is no room for it; it then keeps what it had. */
  take(owner: string, bytes: number, before = 0): void {
    const more = counted(bytes) - counted(before);
    if (more <= 0) return;
    const own = this.#takenBy.get(owner) ?? 0;
    if (this.#taken + more > this.maxBytes || own + more > this.maxBytes / 2) throw overloaded();
    this.#add(owner, more);
  }

  release(owner: string, bytes: number): void {
    if (isLarge(bytes)) this.#add(owner, -bytes);
  }

  /** Takes room until `use` is done. */
  async hold<Result>(owner: string, bytes: number, use: () => Promise<Result>): Promise<Result> {
    this.take(owner, bytes);
    try {
      return await use();
    } finally {
      this.release(owner, bytes);
    }
  }

  #add(owner: string, bytes: number): void {
    this.#taken += bytes;
    const own = (this.#takenBy.get(owner) ?? 0) + bytes;
    if (own === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, own);
  }
}

export function isLarge(bytes: number): boolean {
  return bytes > SMALL_BYTES;
}

function counted(bytes: number): number {
  return isLarge(bytes) ? bytes : 0;
}

function overloaded(): TollgateError {
  return fail(
    "overloaded",
    "too many large requests are in progress; send this one again later",
    {},
    { "retry-after": "1" },
  );
}
