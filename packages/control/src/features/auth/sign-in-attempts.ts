import { fail } from "@tollgate/core/errors";
import { digestOf } from "@tollgate/storage/config/api-key";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { type Kysely, sql } from "kysely";
import type { IdentitySchema } from "./migrate-identity.ts";

const WINDOW_MS = 15 * 60_000;
const MAX_PER_EMAIL = 10;
const MAX_PER_ADDRESS = 50;

/**
 * Counts failed sign-ins in the database, so that a restart or a second process does not reset them. An attempt is
 * counted before its password is checked and uncounted if it was right, so of a thousand at once only ten are checked.
 * A success clears no earlier failure: several accounts may share an address, and the holder of one could otherwise
 * guess another's password without limit by signing in to their own in between.
 */
export class SignInAttempts {
  readonly #db: Kysely<IdentitySchema>;

  constructor(
    db: ControlDb,
    readonly now: () => number,
  ) {
    this.#db = db.withTables<Pick<IdentitySchema, "sign_in_failures">>();
  }

  /** Throws `too_many_attempts`; even the right password is refused until the window has passed. */
  async begin(email: string, address: string | null): Promise<Attempt> {
    const ofEmail = subjectOf("email", email);
    const ofAddress = address === null ? null : subjectOf("address", address);
    const counted: Counted[] = [];
    // The client address first: a client that is locked out does not lock other people's accounts.
    if (ofAddress !== null) counted.push(await this.#count(ofAddress, MAX_PER_ADDRESS));
    counted.push(await this.#count(ofEmail, MAX_PER_EMAIL));
    return {
      succeeded: async () => {
        for (const one of counted) await this.#uncount(one);
      },
    };
  }

  /** Only in the window it was counted in; the window's end clears it anyway. */
  async #uncount({ subject, first_at }: Counted): Promise<void> {
    await this.#db
      .updateTable("sign_in_failures")
      .set(row => ({ failures: row("failures", "-", 1) }))
      .where("subject", "=", subject)
      .where("first_at", "=", first_at)
      .where("failures", ">", 0)
      .execute();
  }

  async #count(subject: string, max: number): Promise<Counted> {
    const now = this.now();
    const isOver = sql<boolean>`sign_in_failures.first_at <= ${now - WINDOW_MS}`;
    const row = await this.#db
      .insertInto("sign_in_failures")
      .values({ subject, failures: 1, first_at: now })
      .onConflict(conflict =>
        conflict.column("subject").doUpdateSet({
          // Stops one above the maximum, so that a flood cannot overflow the number.
          failures: sql<number>`CASE WHEN ${isOver} THEN 1
            WHEN sign_in_failures.failures > ${max} THEN sign_in_failures.failures
            ELSE sign_in_failures.failures + 1 END`,
          first_at: sql<number>`CASE WHEN ${isOver} THEN ${now} ELSE sign_in_failures.first_at END`,
        }),
      )
      .returning(["failures", "first_at"])
      .executeTakeFirstOrThrow();
    if (row.failures === 1) await this.#forget(now);
    if (row.failures <= max) return { subject, first_at: row.first_at };
    const seconds = Math.max(1, Math.ceil((row.first_at + WINDOW_MS - now) / 1000));
    throw fail(
      "too_many_attempts",
      "Too many failed sign-ins. Try again later.",
      { retry_after: seconds },
      { "Retry-After": `${seconds}` },
    );
  }

  async #forget(now: number): Promise<void> {
    await this.#db
      .deleteFrom("sign_in_failures")
      .where("first_at", "<=", now - WINDOW_MS)
      .execute();
  }
}

interface Counted {
  readonly subject: string;
  readonly first_at: number;
}

interface Attempt {
  /** Uncounts this attempt and no other. */
  succeeded(): Promise<void>;
}

/** Hashed, because people type passwords into the wrong field. */
function subjectOf(kind: "email" | "address", text: string): string {
  return `${kind}:${digestOf(text)}`;
}
