import type { Kysely } from "kysely";
import type { ControlSchema } from "../database/schema.ts";

const OVERDUE_MS = 5 * 60_000;
const DAY_MS = 86_400_000;

export interface DeliveryHealth {
  /** Webhooks that fail, or were disabled. */
  readonly troubled: readonly {
    readonly id: string;
    readonly url: string;
    readonly failing_since: number | null;
    readonly disabled_at: number | null;
    readonly disabled_reason: string | null;
  }[];
  readonly pending: number;
  /** Due for five minutes and more: nobody seems to send them. */
  readonly overdue: number;
  /** Given up within a day. */
  readonly failed: number;
}

/** How messages of all organizations are doing; for whoever runs the installation. */
export async function readDeliveryHealth(db: Kysely<ControlSchema>, now: number): Promise<DeliveryHealth> {
  const counted = (status: "pending" | "failed") =>
    db
      .selectFrom("deliveries")
      .select(({ fn }) => fn.countAll<number>().as("messages"))
      .where("status", "=", status);
  const pending = await counted("pending").executeTakeFirst();
  const overdue = await counted("pending")
    .where("next_attempt_at", "<", now - OVERDUE_MS)
    .executeTakeFirst();
  const failed = await counted("failed")
    .where("finished_at", ">=", now - DAY_MS)
    .executeTakeFirst();
  const troubled = await db
    .selectFrom("webhooks")
    .select(["id", "url", "failing_since", "disabled_at", "disabled_reason"])
    .where(eb => eb.or([eb("failing_since", "is not", null), eb("disabled_at", "is not", null)]))
    .orderBy("id")
    .execute();
  return {
    troubled,
    pending: Number(pending?.messages ?? 0),
    overdue: Number(overdue?.messages ?? 0),
    failed: Number(failed?.messages ?? 0),
  };
}
