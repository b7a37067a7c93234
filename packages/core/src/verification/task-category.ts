import type { TaskCategory } from "../event.ts";
import type { ComparedRequest } from "./compared-call.ts";

/** Tasks are described at the beginning or end of a prompt; the rest is material. */
const LOOKED_AT_CHARS = 2_000;

/** An answer of this few tokens is a label, whatever the prompt calls it. */
const LABEL_TOKENS = 16;

/** The first match wins. */
const wordsOf: readonly (readonly [TaskCategory, RegExp])[] = [
  [
    "classification",
    /\b(classif(y|ies|ication)|categori[sz]e|sentiment|which (category|class|label)|(yes|true) or (no|false)|(answer|respond|reply) with (one|only one|a single) (word|label|category|letter))\b/i,
  ],
  ["summarization", /\b(summari[sz](e|es|ing)|summary|tl;?dr|key (points|takeaways)|condense)\b/i],
  [
    "code",
    /```|\b(refactor|unit tests?|stack ?trace|sql query|regular expression|(write|fix|review|debug|implement|explain)( \w+){0,4} (code|function|class|script|program|method|bug))\b/i,
  ],
];

/** The kind of task of a request, so that a verdict can distinguish where a model holds up. */
export function taskCategory(request: ComparedRequest): TaskCategory {
  if (request.output.kind !== "text") return "structured";
  if (request.tools.length > 0 && request.toolChoice.mode !== "none") return "tool_use";
  if (request.maxOutputTokens !== null && request.maxOutputTokens <= LABEL_TOKENS) return "classification";
  const text = taskText(request);
  return wordsOf.find(([, words]) => words.test(text))?.[0] ?? "open_ended";
}

/** System instructions and the last user message. */
function taskText({ turns }: ComparedRequest): string {
  const asked = turns.findLast(({ role }) => role === "user")?.text ?? "";
  const instructions = turns.filter(({ role }) => role === "system").map(({ text }) => text);
  return [...instructions, asked]
    .map(text =>
      text.length <= 2 * LOOKED_AT_CHARS
        ? text
        : `${text.slice(0, LOOKED_AT_CHARS)}\n${text.slice(-LOOKED_AT_CHARS)}`,
    )
    .join("\n");
}
