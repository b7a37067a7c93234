import type { StoredRow } from "@tollgate/storage/database/schema";
import type { Control } from "../../kernel/context.ts";
import type { Attempt, Transport } from "../../kernel/transport.ts";
import { signedHeaders } from "../delivery/sign-webhook.ts";
import type { GuardedClient } from "../outgoing/guarded-client.ts";
import { postAttempt } from "./post-attempt.ts";

type Address = Pick<StoredRow<"webhooks">, "url" | "secret" | "previous_secret" | "previous_secret_until">;

const WITHDRAWN: Attempt = {
  outcome: "withdrawn",
  httpStatus: null,
  error: "The webhook was disabled or removed",
  answer: null,
  retryAfterMs: null,
};

/**
 * Posts to a registration's address, signed with its secret. The registration is read for every attempt: a deleted or
 * disabled one gets nothing more, and a new address or secret takes effect immediately.
 */
export function webhookTransport({ db, now }: Pick<Control, "db" | "now">, client: GuardedClient): Transport {
  // Compiled once: this runs for every delivery.
  const ofReceiver = db
    .selectFrom("webhooks")
    .select(["url", "secret", "previous_secret", "previous_secret_until"])
    .where("id", "=", "")
    .where("org_id", "=", "")
    .where("mode", "=", "")
    .where("disabled_at", "is", null)
    .compile();

  return async ({ id, org_id, mode, receiver, body }) => {
    const query = { ...ofReceiver, parameters: [receiver, org_id, mode] };
    const [webhook] = (await db.executeQuery<Address>(query)).rows;
    if (webhook === undefined) return WITHDRAWN;
    const at = now();
    const isOverlap = webhook.previous_secret_until !== null && at < webhook.previous_secret_until;
    const headers = {
      "content-type": "application/json",
      "user-agent": "Tollgate",
      ...signedHeaders({
        id,
        at,
        body,
        secret: webhook.secret,
        previousSecret: isOverlap ? webhook.previous_secret : null,
      }),
    };
    const attempt = await postAttempt(client.post(webhook.url, body, headers), now, () => false);
    if (attempt.httpStatus === 410) return { ...attempt, outcome: "gone" };
    // DNS may be corrected, so an address that is refused today is retried like any other.
    return attempt.outcome === "permanent_failure" ? { ...attempt, outcome: "failed" } : attempt;
  };
}
