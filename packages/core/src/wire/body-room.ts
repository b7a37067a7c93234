import { MAX_BODY_BYTES } from "./request-body.ts";

/** Of a machine's memory, for one process. What is parsed from bodies, and sent on, takes as much again and more. */
const SHARE_OF_MEMORY = 1 / 8;
/** However little memory there is, a few of the longest bodies fit. */
const LEAST_BYTES = 8 * MAX_BODY_BYTES;
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

  /** A body has this size, or has grown to it. False: it does not fit, and takes what it took before. */
  take(owner: string, bytes: number, before = 0): boolean {
    const more = counted(bytes) - counted(before);
    if (more <= 0) return true;
    const own = this.#takenBy.get(owner) ?? 0;
    if (this.#taken + more > this.maxBytes || own + more > this.maxBytes / 2) return false;
    this.#add(owner, more);
    return true;
  }

  /** For a body that has arrived already. */
  keep(owner: string, bytes: number): void {
    if (isLarge(bytes)) this.#add(owner, bytes);
  }

  release(owner: string, bytes: number): void {
    if (isLarge(bytes)) this.#add(owner, -bytes);
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
