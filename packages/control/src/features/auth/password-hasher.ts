import { randomBytes, timingSafeEqual } from "node:crypto";
import { fail } from "@tollgate/core/errors";
import type { HashingSlots } from "./hashing-slots.ts";

/** A request to the thread; it answers with the key in hexadecimal. */
export interface KeyToDerive {
  readonly password: string;
  readonly salt: string;
  /** Scrypt's N. */
  readonly cost: number;
}

/** better-auth's parameters, so that stored hashes keep working. */
const COST = 16_384;

/** About ten seconds of work; nobody waits longer for a sign-in. */
const MAX_ADMITTED = 100;
const RETRY_SECONDS = 5;

/**
 * Passwords are expensive to hash on purpose, and anybody can trigger it by signing in. The runtime's pool would use
 * every core at a higher priority than the control plane, which lowers its own: hundreds of sign-ins would block
 * every other request. So one thread with its parent's priority hashes one at a time; the queue is bounded, in total
 * and per client.
 */
export class PasswordHasher {
  #thread: Worker | null = null;
  /** Settles when the thread is free for the next request. */
  #turn: Promise<void> = Promise.resolve();
  #admitted = 0;
  /** Slots taken, by name. */
  readonly #taken = new Map<string, number>();

  constructor(
    private readonly maxAdmitted = MAX_ADMITTED,
    private readonly cost = COST,
  ) {}

  /** Everything that hashes runs in here, so that a refusal comes before any work. */
  async admit<T>(limits: readonly HashingSlots[], work: () => Promise<T>): Promise<T> {
    const isFull = this.#admitted >= this.maxAdmitted;
    if (isFull || limits.some(({ name, slots }) => (this.#taken.get(name) ?? 0) >= slots)) {
      throw fail(
        "too_many_at_once",
        "Too many people are signing in right now. Try again in a few seconds.",
        { retry_after: RETRY_SECONDS },
        { "Retry-After": `${RETRY_SECONDS}` },
      );
    }
    this.#take(limits, 1);
    try {
      return await work();
    } finally {
      this.#take(limits, -1);
    }
  }

  #take(limits: readonly HashingSlots[], slots: 1 | -1): void {
    this.#admitted += slots;
    for (const { name } of limits) {
      const taken = (this.#taken.get(name) ?? 0) + slots;
      if (taken === 0) this.#taken.delete(name);
      else this.#taken.set(name, taken);
    }
  }

  /** `salt:key`, as better-auth stores it. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16).toString("hex");
    return `${salt}:${await this.#derive(password, salt)}`;
  }

  async verify({ hash, password }: { readonly hash: string; readonly password: string }): Promise<boolean> {
    const [salt = "", expected = ""] = hash.split(":");
    const key = Buffer.from(await this.#derive(password, salt), "hex");
    const stored = Buffer.from(expected, "hex");
    return stored.length === key.length && timingSafeEqual(stored, key);
  }

  async #derive(password: string, salt: string): Promise<string> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    try {
      return await this.#ask({ password, salt, cost: this.cost });
    } finally {
      resolve();
    }
  }

  #ask(question: KeyToDerive): Promise<string> {
    this.#thread ??= new Worker(new URL("./password-thread.ts", import.meta.url).href, { smol: true });
    const thread = this.#thread;
    // The thread keeps the process alive only while an answer is pending.
    thread.ref();
    return new Promise((resolve, reject) => {
      thread.onmessage = ({ data }: MessageEvent<string>) => {
        thread.unref();
        resolve(data);
      };
      thread.onerror = ({ message }) => {
        // The next request starts a new thread.
        this.#thread = null;
        thread.terminate();
        reject(new Error(`the password thread failed: ${message}`));
      };
      thread.postMessage(question);
    });
  }
}

/** One per process: two would hash two at a time. */
export const passwordHasher = new PasswordHasher();
