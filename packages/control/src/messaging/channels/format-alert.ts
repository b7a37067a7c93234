import { cleanText } from "@tollgate/core/wire/clean-text";
import { type AlertContent, alertContent } from "./alert-content.ts";
import { mailHtml } from "./mail-html.ts";
import { type SlackPayload, slackPayload } from "./slack-payload.ts";

/** One alert, formatted for every channel that people read. */
interface FormattedAlert {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly slack: SlackPayload;
  readonly telegram: string;
}

const MAX_SUBJECT = 150;

/** From a delivery's body, `{event_type, timestamp, data}`. Throws if the text is not one. */
export function formatAlert(body: string, publicUrl: string): FormattedAlert {
  const content = alertContent(body, publicUrl);
  const text = plainText(content);
  return {
    subject: cleanText(`${content.title} - ${content.sentence}`, MAX_SUBJECT),
    text: `${text}\n\n-- \nSent by Tollgate according to your alert preferences.\n`,
    html: mailHtml(content),
    slack: slackPayload(content),
    telegram: text,
  };
}

function plainText({ title, sentence, facts, link }: AlertContent): string {
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
