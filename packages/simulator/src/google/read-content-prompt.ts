import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";
import { countTokens, MEDIA_TOKENS } from "../count-tokens.ts";
import { listOf, numberOrNull, objectOf, textOf } from "../json-object.ts";
import type { AnswerFormat, Effort, Prompt, PromptTool, ToolChoice } from "../prompt.ts";
import { geminiVersion } from "./model-traits.ts";
import { pickField } from "./pick-field.ts";

/** The simulator does not know the size of an explicit cache: it always counts as this many tokens. */
export const CACHED_CONTENT_TOKENS = 1024;

export function readContentPrompt(model: string, body: JsonObject): Prompt {
  const contents = listOf(body.contents).map(objectOf);
  const last = contents.at(-1);
  const results = last ? partsOf(last).map(functionResponse).filter(isJsonObject) : [];
  const config = objectOf(pickField(body, "generationConfig"));
  const calling = objectOf(pickField(objectOf(pickField(body, "toolConfig")), "functionCallingConfig"));
  const allowed = listOf(pickField(calling, "allowedFunctionNames"));
  const tools = listOf(body.tools).flatMap(readTools);
  return {
    model,
    inputTokens: countInput(body),
    lastUserText: userTexts(contents).at(-1) ?? "",
    toolResults: results.length > 0 ? results.map(result => JSON.stringify(result.response ?? {})) : null,
    endsWithUser: last?.role !== "model" && results.length === 0,
    tools: allowed.length === 0 ? tools : tools.filter(tool => allowed.includes(tool.name)),
    toolChoice: readChoice(calling, allowed),
    parallelCalls: true,
    speaksBeforeCalls: false,
    format: readFormat(config),
    maxOutputTokens: numberOrNull(pickField(config, "maxOutputTokens")),
    stop: listOf(pickField(config, "stopSequences")).map(textOf),
    effort: readEffort(model, objectOf(pickField(config, "thinkingConfig"))),
  };
}

export function partsOf(content: JsonObject): JsonObject[] {
  const parts = content.parts;
  return (Array.isArray(parts) ? parts : [parts]).filter(isJsonObject);
}

export function functionCall(part: JsonObject): JsonObject | null {
  const call = pickField(part, "functionCall");
  return isJsonObject(call) ? call : null;
}

export function functionResponse(part: JsonObject): JsonObject | null {
  const response = pickField(part, "functionResponse");
  return isJsonObject(response) ? response : null;
}

export function partsText(parts: readonly JsonObject[]): string {
  return parts.map(part => (part.thought === true ? "" : textOf(part.text))).join("");
}

/** `promptTokenCount` includes the cached part. */
function countInput(body: JsonObject): number {
  const system = objectOf(pickField(body, "systemInstruction"));
  const contents = [system, ...listOf(body.contents).map(objectOf)];
  const tools = listOf(body.tools);
  const cached = textOf(pickField(body, "cachedContent")) === "" ? 0 : CACHED_CONTENT_TOKENS;
  let tokens = cached + (tools.length === 0 ? 0 : countTokens(JSON.stringify(tools)));
  for (const part of contents.flatMap(partsOf)) {
    const exchanged = functionCall(part) ?? functionResponse(part);
    tokens += countTokens(textOf(part.text)) + (exchanged ? countTokens(JSON.stringify(exchanged)) : 0);
    if (pickField(part, "inlineData") || pickField(part, "fileData")) tokens += MEDIA_TOKENS;
  }
  return tokens;
}

function userTexts(contents: readonly JsonObject[]): string[] {
  const users = contents.filter(content => content.role !== "model");
  return users.map(content => partsText(partsOf(content))).filter(text => text !== "");
}

function readTools(entry: unknown): PromptTool[] {
  return listOf(pickField(objectOf(entry), "functionDeclarations")).map(declaration => {
    const { name, parameters } = objectOf(declaration);
    const schema = parameters ?? pickField(objectOf(declaration), "parametersJsonSchema");
    return { name: textOf(name), schema: objectOf(schema) };
  });
}

function readChoice(calling: JsonObject, allowed: readonly unknown[]): ToolChoice {
  const mode = textOf(calling.mode).toUpperCase();
  if (mode === "NONE") return "none";
  if (mode !== "ANY") return "auto";
  const [only] = allowed;
  return allowed.length === 1 && typeof only === "string" ? { name: only } : "required";
}

function readFormat(config: JsonObject): AnswerFormat {
  const schema = pickField(config, "responseJsonSchema") ?? pickField(config, "responseSchema");
  if (isJsonObject(schema)) return { kind: "schema", schema };
  return pickField(config, "responseMimeType") === "application/json" ? { kind: "json" } : { kind: "text" };
}

function readEffort(model: string, thinking: JsonObject): Effort | null {
  const version = geminiVersion(model);
  if (version < 2.5) return null;
  const level = textOf(pickField(thinking, "thinkingLevel")).toLowerCase();
  if (level === "minimal" || level === "low" || level === "medium" || level === "high") return level;
  const budget = numberOrNull(pickField(thinking, "thinkingBudget"));
  // From 3 on thinking cannot be disabled.
  if (budget === 0 && version < 3) return null;
  if (budget === null) return model.includes("lite") && version < 3 ? null : "medium";
  return budget < 0 ? "medium" : budget < 4_096 ? "low" : budget < 16_384 ? "medium" : "high";
}
