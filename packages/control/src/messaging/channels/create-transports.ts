import type { Control } from "../../kernel/context.ts";
import type { Attempt, Transport, Transports } from "../../kernel/transport.ts";
import { GuardedClient, type Resolve } from "../outgoing/guarded-client.ts";
import { TargetGuard } from "../outgoing/target-guard.ts";
import { alertWebhookTransport } from "./alert-webhook-transport.ts";
import { mailTransport } from "./mail-transport.ts";
import { slackTransport } from "./slack-transport.ts";
import { type TelegramBot, telegramTransport } from "./telegram-transport.ts";
import { webhookTransport } from "./webhook-transport.ts";

export interface OutgoingOptions {
  /** The value of `SVC_ALLOWED_PRIVATE_TARGETS`. */
  readonly allowedPrivateTargets?: string;
  readonly smtpUrl?: string | null;
  readonly telegram?: TelegramBot | null;
  /** How long to wait for a receiver; absent: 15 s. */
  readonly timeoutMs?: number;
  /** Resolves host names; absent: the system's resolver. */
  readonly resolve?: Resolve;
  /** Called with our own faults; the organization only learns that there was one. */
  readonly onFault?: (fault: unknown) => void;
}

const FAULT: Attempt = {
  outcome: "failed",
  httpStatus: null,
  error: "The message could not be sent because of a fault in this server",
  answer: null,
  retryAfterMs: null,
};

/** One transport per channel. */
export function createTransports(
  parts: Pick<Control, "db" | "now" | "publicUrl"> & OutgoingOptions,
): Transports {
  const { timeoutMs, resolve } = parts;
  const bounds = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(resolve ? { resolve } : {}) };
  const client = new GuardedClient({ guard: TargetGuard.of(parts.allowedPrivateTargets), ...bounds });
  // The operator's own address may well be private.
  const operators = new GuardedClient({ guard: new TargetGuard({ allows: () => true }), ...bounds });
  /** A fault of our own is a failed attempt: by the next one the database may be back. */
  const attempted =
    (transport: Transport): Transport =>
    delivery =>
      transport(delivery).catch(fault => {
        parts.onFault?.(fault);
        return FAULT;
      });
  return {
    webhook: attempted(webhookTransport(parts, client)),
    email: attempted(mailTransport(parts, parts.smtpUrl ?? null, timeoutMs)),
    slack: attempted(slackTransport(parts, client)),
    telegram: attempted(telegramTransport(parts, parts.telegram ?? null, operators)),
    alert_webhook: attempted(alertWebhookTransport(parts, client)),
  };
}
