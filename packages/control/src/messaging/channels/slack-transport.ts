import { alertPreferencesOf } from "../../features/alert-preferences/preferences-of.ts";
import type { Control } from "../../kernel/context.ts";
import type { Transport } from "../../kernel/transport.ts";
import type { GuardedClient } from "../outgoing/guarded-client.ts";
import { formatAlert } from "./format-alert.ts";
import { permanentFailure } from "./permanent-failure.ts";
import { postAttempt } from "./post-attempt.ts";

/** The payload was refused, or the hook or its channel is gone: a retry would get the same answer. */
const permanentStatuses = new Set([400, 403, 404, 410]);

/** A Slack incoming webhook, or anything compatible with one. */
export function slackTransport(
  { db, now, publicUrl }: Pick<Control, "db" | "now" | "publicUrl">,
  client: GuardedClient,
): Transport {
  return async ({ org_id, body }) => {
    const { slack_webhook: address } = await alertPreferencesOf(db, org_id);
    if (address === null) return permanentFailure("There is no address for this channel");
    const payload = JSON.stringify(formatAlert(body, publicUrl).slack);
    const headers = { "content-type": "application/json", "user-agent": "Tollgate" };
    return await postAttempt(client.post(address, payload, headers), now, status =>
      permanentStatuses.has(status),
    );
  };
}
