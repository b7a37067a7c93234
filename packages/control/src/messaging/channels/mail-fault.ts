import { z } from "zod";
import type { Attempt } from "../../kernel/transport.ts";
import { shownAnswer } from "./shown-answer.ts";

/** What nodemailer reports about a rejected mail. Its messages may name hosts and users, so they are not passed on. */
const smtpFault = z.object({
  code: z.string().catch(""),
  command: z.string().catch(""),
  responseCode: z.number().nullable().catch(null),
  response: z.string().catch(""),
  rejectedErrors: z.array(z.object({ responseCode: z.number().catch(0) })).catch([]),
});

const sentences: Readonly<Record<string, string>> = {
  EAUTH: "The mail server did not accept the user name and password of SVC_SMTP_URL",
  ENOAUTH: "The mail server did not accept the user name and password of SVC_SMTP_URL",
  ETLS: "The connection to the mail server could not be encrypted",
  EDNS: "The mail server's name could not be resolved",
  ETIMEDOUT: "The mail server did not answer in time",
  ECONNECTION: "The mail server could not be reached",
  ESOCKET: "The mail server could not be reached",
};

/**
 * A failure is permanent when the recipient's server refuses every recipient, or the message. Everything else is
 * between us and the operator's server, and may be fixed before the next attempt.
 */
export function mailFault(fault: unknown): Attempt {
  const { code, command, responseCode, response, rejectedErrors } = smtpFault.parse(Object(fault));
  const isFinal = (status: number) => status >= 500 && status < 600;
  const isRecipientRefused =
    rejectedErrors.length > 0 && rejectedErrors.every(refusal => isFinal(refusal.responseCode));
  const isMessageRefused = command === "DATA" && responseCode !== null && isFinal(responseCode);
  const isPermanent = isRecipientRefused || isMessageRefused;
  return {
    outcome: isPermanent ? "permanent_failure" : "failed",
    httpStatus: responseCode,
    error:
      (Object.hasOwn(sentences, code) ? sentences[code] : undefined) ??
      (responseCode === null
        ? "The mail could not be sent"
        : `The mail server answered ${responseCode}${isRecipientRefused ? " to the recipient" : ""}`),
    // A server's reply to a login may repeat the login.
    answer: code === "EAUTH" ? null : shownAnswer(response),
    retryAfterMs: null,
  };
}
