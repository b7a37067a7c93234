import { DAY_MS } from "@tollgate/core/time/durations";
import { cleanText } from "@tollgate/core/wire/clean-text";
import { z } from "zod";
import { alertPreferencesOf } from "../../features/alert-preferences/preferences-of.ts";
import type { Control } from "../../kernel/context.ts";
import type { Attempt, Transport } from "../../kernel/transport.ts";
import type { GuardedClient, OutgoingAnswer } from "../outgoing/guarded-client.ts";
import { formatAlert } from "./format-alert.ts";
import { permanentFailure } from "./permanent-failure.ts";
import { postAttempt } from "./post-attempt.ts";

export interface TelegramBot {
  readonly botToken: string;
  readonly apiUrl: string;
}

/** The bot may not write to the chat, or the chat does not exist. */
const permanentStatuses = new Set([400, 403]);

const refusal = z.object({
  description: z.string().catch(""),
  parameters: z.object({ retry_after: z.number().nonnegative().optional().catch(undefined) }).catch({}),
});

/**
 * The address is the operator's, so it may be private; time, size and redirects are bounded as everywhere. It
 * contains the bot's token: neither it nor an answer that repeats it is ever shown.
 */
export function telegramTransport(
  { db, now, publicUrl }: Pick<Control, "db" | "now" | "publicUrl">,
  bot: TelegramBot | null,
  client: GuardedClient,
): Transport {
  return async ({ org_id, body }) => {
    if (bot === null) {
      return permanentFailure("This server has no Telegram bot: SVC_TELEGRAM_BOT_TOKEN is not set");
    }
    const { telegram_chat_id: chat } = await alertPreferencesOf(db, org_id);
    if (chat === null) return permanentFailure("There is no address for this channel");
    const payload = JSON.stringify({
      chat_id: chat,
      text: formatAlert(body, publicUrl).telegram,
      link_preview_options: { is_disabled: true },
    });
    const address = `${bot.apiUrl.replace(/\/+$/, "")}/bot${bot.botToken}/sendMessage`;
    const answer = client.post(address, payload, { "content-type": "application/json" });
    const attempt = await postAttempt(answer, now, status => permanentStatuses.has(status));
    return attempt.outcome === "delivered"
      ? // Telegram's answer repeats the message, which the organization already has.
        { ...attempt, answer: null }
      : withoutToken(explained(attempt, await answer.catch(() => null)), bot.botToken);
  };
}

/** Telegram's own description, and its retry delay. */
function explained(attempt: Attempt, answer: OutgoingAnswer | null): Attempt {
  const said = answer === null ? null : readRefusal(answer.text);
  if (said === null) return attempt;
  const description = cleanText(said.description, 300);
  const waitSeconds = said.parameters.retry_after;
  return {
    ...attempt,
    error: description === "" ? attempt.error : `Telegram answered ${attempt.httpStatus}: ${description}`,
    retryAfterMs:
      waitSeconds === undefined ? attempt.retryAfterMs : Math.min(Math.ceil(waitSeconds * 1000), DAY_MS),
  };
}

function readRefusal(text: string): z.output<typeof refusal> | null {
  try {
    return refusal.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function withoutToken(attempt: Attempt, token: string): Attempt {
  const clean = (text: string | null) => text?.replaceAll(token, "…") ?? null;
  return { ...attempt, error: clean(attempt.error), answer: clean(attempt.answer) };
}
