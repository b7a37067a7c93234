import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { countTokens } from "../count-tokens.ts";
import { embedText } from "../embed-text.ts";
import { numberOrNull, textOf } from "../json-object.ts";
import { invalidRequest, type OpenaiProblem } from "./openai-error.ts";

interface EmbeddingInput {
  readonly text: string;
  readonly tokens: number;
}

const ownDimensions: Readonly<Record<string, number>> = {
  "text-embedding-3-large": 3072,
  "text-embedding-3-small": 1536,
  "text-embedding-ada-002": 1536,
};

/** null: not one of the four forms (text, texts, tokens, lists of tokens). */
function readEmbeddingInputs(input: unknown): EmbeddingInput[] | null {
  if (typeof input === "string") return input === "" ? null : [fromText(input)];
  if (!Array.isArray(input) || input.length === 0 || input.length > 2048) return null;
  if (input.every(isText)) return input.map(fromText);
  if (isTokens(input)) return [fromTokens(input)];
  return input.every(isTokens) ? input.map(fromTokens) : null;
}

export function checkEmbeddings(body: JsonObject): OpenaiProblem | null {
  if (readEmbeddingInputs(body.input) === null) {
    return invalidRequest("'$.input' is invalid. Please check the API reference.", "input");
  }
  const dimensions = body.dimensions;
  if (dimensions == null) return null;
  const own = ownDimensions[textOf(body.model)] ?? 1536;
  if (body.model === "text-embedding-ada-002") {
    return invalidRequest("This model does not support specifying dimensions.", "dimensions");
  }
  if (!Number.isInteger(dimensions) || Number(dimensions) < 1 || Number(dimensions) > own) {
    return invalidRequest("Invalid value for 'dimensions'.", "dimensions", "invalid_value");
  }
  return null;
}

export function embeddingsBody(body: JsonObject): string {
  const model = textOf(body.model);
  const dimensions = numberOrNull(body.dimensions) ?? ownDimensions[model] ?? 1536;
  const inputs = readEmbeddingInputs(body.input) ?? [];
  const tokens = inputs.reduce((sum, input) => sum + input.tokens, 0);
  const data = inputs.map((input, index) => {
    const vector = embedText(input.text, dimensions);
    const embedding = body.encoding_format === "base64" ? base64Floats(vector) : vector;
    return { object: "embedding", index, embedding };
  });
  const answer = { object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  return `${JSON.stringify(answer, null, 2)}\n`;
}

export function embeddingsUserText(body: JsonObject): string {
  return readEmbeddingInputs(body.input)?.at(-1)?.text ?? "";
}

/** Little-endian on every machine, as the format requires. */
function base64Floats(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString("base64");
}

const isText = (entry: unknown): entry is string => typeof entry === "string" && entry !== "";

const isTokens = (entry: unknown): entry is number[] =>
  Array.isArray(entry) && entry.length > 0 && entry.every(token => Number.isInteger(token) && token >= 0);

const fromText = (text: string): EmbeddingInput => ({ text, tokens: countTokens(text) });

const fromTokens = (tokens: readonly number[]): EmbeddingInput => ({
  text: tokens.join(","),
  tokens: tokens.length,
});
