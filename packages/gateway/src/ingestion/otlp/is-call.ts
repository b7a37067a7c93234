import type { SpanReader } from "./span-reader.ts";

const operations = new Set(["chat", "text_completion", "generate_content", "embeddings"]);
const openInferenceKinds = new Set(["LLM", "EMBEDDING"]);
const openLlmetryTypes = new Set(["chat", "completion", "embedding"]);
const vercelCalls = /\.do(Generate|Stream|Embed)$/;

/**
 * Whether a span is a model call. Agents, workflows, steps and tools repeat the usage of the calls within them:
 * counting those would bill every call twice. The first convention that states the span's kind decides.
 */
export function isCall(span: SpanReader): boolean {
  const operation = span.text("operation");
  if (operation !== null) return operations.has(operation.toLowerCase());
  const kind = span.text("openInferenceKind");
  if (kind !== null) return openInferenceKinds.has(kind.toUpperCase());
  const type = span.text("openLlmetryType");
  if (type !== null) return openLlmetryTypes.has(type.toLowerCase());
  if (span.text("openLlmetryKind") !== null) return false;
  const vercel = span.text("vercelOperation");
  if (vercel !== null) return vercelCalls.test(vercel);
  return span.hasOwn("model") && (span.hasOwn("input") || span.hasOwn("output"));
}
