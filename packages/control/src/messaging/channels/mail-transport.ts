import { createTransport } from "nodemailer";
import { alertPreferencesOf } from "../../features/alert-preferences/preferences-of.ts";
import type { Control } from "../../kernel/context.ts";
import type { Attempt, Transport } from "../../kernel/transport.ts";
import { formatAlert } from "./format-alert.ts";
import { mailFault } from "./mail-fault.ts";
import { permanentFailure } from "./permanent-failure.ts";
import { type MailServer, readSmtpUrl } from "./read-smtp-url.ts";
import { shownAnswer } from "./shown-answer.ts";

const TIMEOUT_MS = 15_000;

/** The only file that speaks SMTP, and only to the operator's own server. One connection per mail. */
export function mailTransport(
  { db, now, publicUrl }: Pick<Control, "db" | "now" | "publicUrl">,
  smtpUrl: string | null,
  timeoutMs: number = TIMEOUT_MS,
): Transport {
  const server = smtpUrl === null ? null : readSmtpUrl(smtpUrl);
  const mailer = server && createTransport(connectionTo(server, timeoutMs));
  const publicHost = new URL(publicUrl).hostname;
  const from = server?.from ?? `tollgate@${publicHost}`;
  return async ({ id, org_id, body }) => {
    if (mailer === null) return permanentFailure("This server sends no mail: SVC_SMTP_URL is not set");
    const recipients = recipientsOf((await alertPreferencesOf(db, org_id)).email);
    if (recipients.length === 0) return permanentFailure("There is no address for this channel");
    const { subject, text, html } = formatAlert(body, publicUrl);
    const mail = {
      from,
      to: recipients.map(address => ({ name: "", address })),
      subject,
      text,
      html,
      // The same for every attempt, so that a recipient can recognize a duplicate.
      messageId: `<${id}@${publicHost}>`,
      date: new Date(now()),
      // Suppresses out-of-office replies, which nobody would read.
      headers: { "Auto-Submitted": "auto-generated" },
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    try {
      const { accepted, rejected, response } = await withinTime(mailer.sendMail(mail), timeoutMs);
      return {
        outcome: "delivered",
        httpStatus: codeIn(response),
        // A retry would send to the accepted recipients twice.
        error:
          rejected.length === 0
            ? null
            : `${rejected.length} of ${accepted.length + rejected.length} recipients ${rejected.length === 1 ? "was" : "were"} refused`,
        answer: shownAnswer(response),
        retryAfterMs: null,
      };
    } catch (fault) {
      return mailFault(fault);
    }
  };
}

/** Splits the comma-separated addresses of the preferences. */
function recipientsOf(addresses: string | null): string[] {
  return (addresses ?? "")
    .split(",")
    .map(address => address.trim())
    .filter(address => address !== "");
}

function connectionTo(server: MailServer, timeoutMs: number) {
  const { host, port, secure, requireTLS, ignoreTLS, isCertificateChecked, auth } = server;
  return {
    host,
    port,
    secure,
    requireTLS,
    ignoreTLS,
    ...(auth === null ? {} : { auth }),
    tls: { rejectUnauthorized: isCertificateChecked },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    maxResponseSize: 64 * 1024,
    logger: false,
    debug: false,
  } as const;
}

/** Each step has a timeout; the whole has twice that, against a server that trickles its replies. */
async function withinTime<Result>(sent: Promise<Result>, timeoutMs: number): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(Object.assign(new Error("too slow"), { code: "ETIMEDOUT" })),
    2 * timeoutMs,
  );
  try {
    return await Promise.race([sent, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function codeIn(response: string): Attempt["httpStatus"] {
  const code = /^(\d{3})/.exec(response)?.[1];
  return code === undefined ? null : Number(code);
}
