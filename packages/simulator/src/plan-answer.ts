import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { composeReasoning, composeText, REFUSAL_TEXT } from "./compose-text.ts";
import { countTokens, takeTokens } from "./count-tokens.ts";
import { objectOf } from "./json-object.ts";
import type { Prompt, PromptTool } from "./prompt.ts";
import { judge } from "./quality.ts";
import { sampleFromSchema } from "./sample-from-schema.ts";

interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** One answer, before it is encoded in a provider's format. */
export interface AnswerPlan {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
  readonly finish: "stop" | "stop_sequence" | "length" | "tool_calls" | "refusal";
  readonly stopSequence: string | null;
  readonly inputTokens: number;
  readonly reasoningTokens: number;
  /** Text and calls, without reasoning. */
  readonly visibleTokens: number;
}

/** The same prompt and variant always give the same plan. `variant` distinguishes the choices of one request. */
export function planAnswer(prompt: Prompt, variant = 0): AnswerPlan {
  const reasoningWanted = composeReasoning(prompt);
  const limit = prompt.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  // Thinking counts against the limit at every provider and may use it up before the first visible word.
  const reasoning = takeTokensUpTo(reasoningWanted, limit);
  const reasoningTokens = countTokens(reasoning);
  const room = limit - reasoningTokens;
  const base = { reasoning, reasoningTokens, inputTokens: prompt.inputTokens, stopSequence: null };
  if (room <= 0) return { ...base, text: "", calls: [], finish: "length", visibleTokens: 0 };

  const calls = planCalls(prompt);
  if (calls.length > 0) {
    const text = prompt.speaksBeforeCalls
      ? `I'll use ${calls.map(call => call.name).join(" and ")} for that.`
      : "";
    const visibleTokens = countTokens(text) + countCalls(calls);
    if (visibleTokens <= room) return { ...base, text, calls, finish: "tool_calls", visibleTokens };
    return { ...base, text: "", calls: [], finish: "length", visibleTokens: room };
  }

  const wanted = wantedText(prompt, variant);
  const stopped = cutAtStop(wanted, prompt.stop);
  const text = takeTokensUpTo(stopped.text, room);
  const visibleTokens = countTokens(text);
  if (text !== stopped.text) return { ...base, text, calls: [], finish: "length", visibleTokens };
  const finish = stopped.sequence === null ? "stop" : "stop_sequence";
  return { ...base, text, calls: [], finish, stopSequence: stopped.sequence, visibleTokens };
}

export function planRefusal(prompt: Prompt): AnswerPlan {
  return {
    reasoning: "",
    text: REFUSAL_TEXT,
    calls: [],
    finish: "refusal",
    stopSequence: null,
    inputTokens: prompt.inputTokens,
    reasoningTokens: 0,
    visibleTokens: countTokens(REFUSAL_TEXT),
  };
}

function wantedText(prompt: Prompt, variant: number): string {
  switch (prompt.format.kind) {
    case "text":
      return composeText(prompt, variant);
    case "json":
      return JSON.stringify({ answer: composeText(prompt, variant) });
    case "schema":
      return JSON.stringify(schemaValue(prompt.format.schema, prompt.lastUserText));
  }
}

/** A judge's verdict if one is requested, otherwise any value that the schema allows. */
function schemaValue(schema: JsonObject, userText: string): unknown {
  return judge(schema, userText) ?? sampleFromSchema(schema, userText);
}

function planCalls(prompt: Prompt): PlannedCall[] {
  if (prompt.toolChoice === "none") return [];
  const forced = typeof prompt.toolChoice === "object" ? prompt.toolChoice.name : null;
  if (!prompt.endsWithUser) {
    // A model that must call something calls its tools in turn: it ends with the last.
    const last = prompt.toolChoice === "required" ? prompt.tools.at(-1) : undefined;
    return last === undefined || prompt.toolResults === null ? [] : [planCall(last, prompt.lastUserText)];
  }
  const callable = forced === null ? prompt.tools : prompt.tools.filter(tool => tool.name === forced);
  const wanted = prompt.parallelCalls && forced === null ? 2 : 1;
  return callable.slice(0, wanted).map(tool => planCall(tool, prompt.lastUserText));
}

function planCall(tool: PromptTool, userText: string): PlannedCall {
  return { name: tool.name, arguments: objectOf(schemaValue(tool.schema, userText)) };
}

function countCalls(calls: readonly PlannedCall[]): number {
  let tokens = 0;
  for (const call of calls) tokens += countTokens(call.name) + countTokens(JSON.stringify(call.arguments));
  return tokens;
}

function takeTokensUpTo(text: string, tokens: number): string {
  return countTokens(text) <= tokens ? text : takeTokens(text, tokens);
}

function cutAtStop(text: string, stop: readonly string[]): { text: string; sequence: string | null } {
  let at = text.length;
  let sequence: string | null = null;
  for (const candidate of stop) {
    const found = candidate === "" ? -1 : text.indexOf(candidate);
    if (found >= 0 && found < at) {
      at = found;
      sequence = candidate;
    }
  }
  return { text: text.slice(0, at), sequence };
}
