import { DAY_MS } from "@tollgate/core/time/durations";
import type { ControlDb } from "../database/schema.ts";

const OVERDUE_MS = 5 * 60_000;

export interface DeliveryHealth {
  /** Webhooks that fail or were disabled. */
  readonly troubled: readonly {
    readonly id: string;
    readonly url: string;
    readonly failing_since: number | null;
    readonly disabled_at: number | null;
    readonly disabled_reason: string | null;
  }[];
  readonly pending: number;
  /** Overdue by five minutes or more: nothing seems to be sending them. */
  readonly overdue: number;
  /** Given up within the last day. */
  readonly failed: number;
}

/** The state of outgoing deliveries of all organizations, for the operator. */
export async function readDeliveryHealth(db: ControlDb, now: number): Promise<DeliveryHealth> {
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
