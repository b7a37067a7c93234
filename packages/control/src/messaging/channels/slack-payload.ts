import type { AlertContent } from "./alert-content.ts";

interface SlackText {
  readonly type: "plain_text" | "mrkdwn";
  readonly text: string;
  readonly emoji?: false;
  readonly verbatim?: true;
}

export interface SlackPayload {
  /** The text for notifications and screen readers. */
  readonly text: string;
  readonly blocks: readonly {
    readonly type: "header" | "section" | "context";
    readonly text?: SlackText;
    readonly fields?: readonly SlackText[];
    readonly elements?: readonly SlackText[];
  }[];
}

/** Slack refuses larger sections and longer headers. */
const MAX_FIELDS = 10;
const MAX_HEADER = 150;

/**
 * The sentence is plain text, so nothing in it can become a link, mention or format. Where markup is needed, user
 * text is escaped, and `verbatim` keeps Slack from detecting links and names in it.
 */
export function slackPayload({ title, sentence, facts, link }: AlertContent): SlackPayload {
  return {
    text: escapeMrkdwn(`${title}: ${sentence}`),
    blocks: [
      { type: "header", text: { type: "plain_text", text: title.slice(0, MAX_HEADER), emoji: false } },
      { type: "section", text: { type: "plain_text", text: sentence || title, emoji: false } },
      {
        type: "section",
        // The time, which comes last, is always included.
        fields: [...facts.slice(0, -1).slice(0, MAX_FIELDS - 1), ...facts.slice(-1)].map(
          ({ label, value }) => ({
            type: "mrkdwn",
            text: `*${label}*\n${escapeMrkdwn(value)}`,
            verbatim: true,
          }),
        ),
      },
      {
        type: "context",
        elements: [{ type: "mrkdwn", text: `<${escapeMrkdwn(link)}|Open the dashboard>`, verbatim: true }],
      },
    ],
  };
}

function escapeMrkdwn(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
