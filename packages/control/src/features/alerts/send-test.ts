import { addressIn } from "@tollgate/core/alerts/address-in";
import { type AlertChannel, alertChannels } from "@tollgate/core/alerts/alert-types";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { rateLimitReached } from "@tollgate/core/limits/rate-limit-answer";
import { RateWindows } from "@tollgate/core/limits/rate-windows";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { homeOf } from "@tollgate/storage/config/home-of";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import type { Attempt } from "../../kernel/transport.ts";
import { ConcurrencyLimit } from "../../messaging/delivery/concurrency-limit.ts";
import { bodyOf, receiverOf } from "../../messaging/delivery/delivery.ts";
import { alertPreferencesOf } from "../alert-preferences/preferences-of.ts";
import { deliveryChannelOf } from "./raise-alert.ts";

/** A person waits for the answer, so a slower attempt is reported as timed out. */
const TIMEOUT_MS = 20_000;
const MAX_ANSWER = 200;
const KIND = "alert.test";
const concurrency = new ConcurrencyLimit(5);
const MAX_PER_HOUR = 10;
const perHour = new RateWindows(MAX_PER_HOUR, HOUR_MS);

/** Sends once over every channel that has an address and reports each result. */
export const alertsTest: Handler<"alerts.test"> = async context => {
  const preferences = await alertPreferencesOf(context.db, context.organization.id);
  const channels = alertChannels.filter(channel => addressIn(preferences, channel) !== null);
  const body = testBody(context);
  return {
    channels: await concurrency.run(context.organization.id, async () => {
      if (channels.length > 0) await admit(context);
      return await Promise.all(
        channels.map(async channel => {
          const { outcome, error, httpStatus, answer } = await send(context, channel, body);
          const delivered = outcome === "delivered";
          return {
            channel,
            delivered,
            error,
            status: httpStatus,
            answer: answer?.slice(0, MAX_ANSWER) ?? null,
          };
        }),
      );
    }),
    message:
      channels.length > 0
        ? null
        : "No channel has an address yet: set email, slack_webhook, telegram_chat_id or webhook_url in the alert preferences",
  };
};

/**
 * Mail goes to any address, from the operator's server. A demo counts with its home, or adding and removing it would
 * lift the limit.
 */
async function admit({ db, organization, now }: Context): Promise<void> {
  const home = await homeOf(db, organization.id);
  const nowMs = now();
  const full = perHour.admit(home, nowMs);
  if (full === null) return;
  throw rateLimitReached(
    "rate_limited",
    `limit of ${MAX_PER_HOUR} test notifications an hour exceeded`,
    full,
    nowMs,
  );
}

/** Without the organization's name, which its members choose: the mail would carry their text to anybody. */
function testBody({ organization, scope, now, newId }: Context): string {
  const at = now();
  return bodyOf(KIND, at, {
    organization_id: organization.id,
    mode: scope.mode,
    id: newId(),
    type: null,
    triggered_at: toIsoTime(at),
    severity: "info",
    message: "This is a test: alerts of your organization arrive here.",
    metadata: { kind: "test" },
    agent_id: null,
  });
}

async function send(context: Context, alertChannel: AlertChannel, body: string): Promise<Attempt> {
  const channel = deliveryChannelOf(alertChannel);
  const { promise: tooLong, resolve } = Promise.withResolvers<Attempt>();
  const timer = setTimeout(
    () =>
      resolve({
        outcome: "failed",
        httpStatus: null,
        error: `There was no answer within ${TIMEOUT_MS / 1000} s`,
        answer: null,
        retryAfterMs: null,
      }),
    TIMEOUT_MS,
  );
  const sent = context.transports[channel]({
    id: context.newId(),
    org_id: context.organization.id,
    mode: context.scope.mode,
    receiver: receiverOf(channel, context.organization.id),
    kind: KIND,
    body,
  });
  return await Promise.race([sent, tooLong]).finally(() => clearTimeout(timer));
}
