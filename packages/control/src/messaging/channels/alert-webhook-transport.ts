import { alertPreferencesOf } from "../../features/alert-preferences/preferences-of.ts";
import { alertWebhookSecret } from "../../features/alert-preferences/webhook-secret.ts";
import type { Control } from "../../kernel/context.ts";
import type { Transport } from "../../kernel/transport.ts";
import { signedHeaders } from "../delivery/sign-webhook.ts";
import type { GuardedClient } from "../outgoing/guarded-client.ts";
import { permanentFailure } from "./permanent-failure.ts";
import { postAttempt } from "./post-attempt.ts";

/** Posts the body unchanged to the address in the alert preferences, signed like every webhook. */
export function alertWebhookTransport(parts: Pick<Control, "db" | "now">, client: GuardedClient): Transport {
  return async ({ id, org_id, body }) => {
    const { webhook_url: address } = await alertPreferencesOf(parts.db, org_id);
    if (address === null) return permanentFailure("There is no address for this channel");
    const { secret, previous_secret, previous_secret_until } = await alertWebhookSecret(parts, org_id);
    const at = parts.now();
    const isOverlap = previous_secret_until !== null && at < previous_secret_until;
    const headers = {
      "content-type": "application/json",
      "user-agent": "Tollgate",
      ...signedHeaders({ id, at, body, secret, previousSecret: isOverlap ? previous_secret : null }),
    };
    // There is no registration to disable, so a 410 only ends this delivery.
    return await postAttempt(client.post(address, body, headers), parts.now, status => status === 410);
  };
}
