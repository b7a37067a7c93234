import { cleanText } from "@tollgate/core/wire/clean-text";
import { type AlertNotice, alertNotice } from "./alert-notice.ts";
import { mailHtml } from "./mail-html.ts";
import { type SlackPayload, slackPayload } from "./slack-payload.ts";

/** One alert, formatted for every channel that people read. */
export interface AlertMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly slack: SlackPayload;
  readonly telegram: string;
}

const MAX_SUBJECT = 150;

/** From a delivery's body, `{event_type, timestamp, data}`. Throws if the text is not one. */
export function alertMessage(body: string, publicUrl: string): AlertMessage {
  const notice = alertNotice(body, publicUrl);
  const text = plainText(notice);
  return {
    subject: cleanText(`${notice.title} - ${notice.sentence}`, MAX_SUBJECT),
    text: `${text}\n\n-- \nSent by Tollgate, as the alert preferences say.\n`,
    html: mailHtml(notice),
    slack: slackPayload(notice),
    telegram: text,
  };
}

function plainText({ title, sentence, facts, link }: AlertNotice): string {
  return [
    title,
    "",
    sentence,
    "",
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    "",
    `Dashboard: ${link}`,
  ].join("\n");
}
