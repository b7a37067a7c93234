import type { Effort, Prompt } from "./prompt.ts";
import { isPoor, POOR_OPENING } from "./quality.ts";

const openings = [
  "Here is the short version.",
  "Good question — here is a brief answer.",
  "Let me answer that in a few words.",
  "Happy to help with that.",
];

const closings = [
  "A real model would go into more detail.",
  "Ask again with a live key for the real thing.",
  "Nothing left this machine to write it.",
];

/** A plausible answer that depends only on the prompt. Typographic quotes exercise UTF-8 handling. */
export function composeText(prompt: Prompt, variant: number): string {
  if (prompt.toolResults) {
    const results = prompt.toolResults.map(result => excerpt(result, 120)).filter(result => result !== "");
    return results.length > 0
      ? `Based on what the tools returned (${results.join("; ")}), that is the answer to your question.`
      : "The tools returned nothing, so there is nothing more to tell.";
  }
  if (isPoor(prompt)) return `${POOR_OPENING} Could you say it in other words?`;
  const asked = excerpt(prompt.lastUserText, 120);
  const pick = asked.length + variant;
  const subject = asked === "" ? "You asked nothing" : `You asked: “${asked}”`;
  return `${openings[pick % openings.length]} ${subject}. This is a simulated answer in the place of ${prompt.model}. ${closings[pick % closings.length]}`;
}

const thoughts = [
  "First, what does the user want to know?",
  "The request is clear, so no follow-up question is needed.",
  "Is there a catch? Nothing in the conversation points to one.",
  "A short answer serves better than a long one here.",
  "Checked once more: the plan holds.",
];

const thoughtsByEffort = { minimal: 1, low: 1, medium: 2, high: 3, xhigh: 4, max: 5 } satisfies Record<
  Effort,
  number
>;

/** Reasoning tokens grow with the effort. */
export function composeReasoning(prompt: Prompt): string {
  return prompt.effort === null ? "" : thoughts.slice(0, thoughtsByEffort[prompt.effort]).join(" ");
}

export const REFUSAL_TEXT = "I'm sorry, but I can't help with that request.";

function excerpt(text: string, length: number): string {
  const characters = [...text.replace(/\s+/g, " ").trim()];
  return characters.length <= length ? characters.join("") : `${characters.slice(0, length).join("")}…`;
}
