import type { Control } from "../kernel/context.ts";
import type { Attempt, Transport, Transports } from "../kernel/transport.ts";
import { GuardedClient, type Resolve } from "../outgoing/guarded-client.ts";
import { TargetGuard } from "../outgoing/target-guard.ts";
import { alertWebhookTransport } from "./alert-webhook-transport.ts";
import { mailTransport } from "./mail-transport.ts";
import { slackTransport } from "./slack-transport.ts";
import { type TelegramBot, telegramTransport } from "./telegram-transport.ts";
import { webhookTransport } from "./webhook-transport.ts";

export interface OutgoingOptions {
  /** As `SVC_ALLOWED_PRIVATE_TARGETS` says it. */
  readonly allowedPrivateTargets?: string;
  readonly smtpUrl?: string | null;
  readonly telegram?: TelegramBot | null;
  /** How long a receiver may be silent; absent: 15 s. */
  readonly timeoutMs?: number;
  /** What names mean; absent: what the system says. */
  readonly resolve?: Resolve;
  /** A fault of our own; the organization is told no more than that there was one. */
  readonly onFault?: (fault: unknown) => void;
}

const FAULT: Attempt = {
  outcome: "failed",
  httpStatus: null,
  error: "It could not be sent because of a fault in this server",
  answer: null,
  retryAfterMs: null,
};

/** Every way out, by channel. */
export function createTransports(
  parts: Pick<Control, "db" | "now" | "publicUrl"> & OutgoingOptions,
): Transports {
  const { timeoutMs, resolve } = parts;
  const bounds = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(resolve ? { resolve } : {}) };
  const client = new GuardedClient({ guard: TargetGuard.of(parts.allowedPrivateTargets), ...bounds });
  // The operator's own address may well be private.
  const operators = new GuardedClient({ guard: new TargetGuard({ allows: () => true }), ...bounds });
  /** A fault of our own is a try that failed: the next one may find the database where it should be. */
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
