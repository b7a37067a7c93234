import { expect, it } from "bun:test";
import type { Dialect } from "@tollgate/providers/dialect";
import { anthropicMessages } from "@tollgate/providers/dialects/anthropic-messages/dialect";
import { openaiChat } from "@tollgate/providers/dialects/openai-chat/dialect";
import { openaiResponses } from "@tollgate/providers/dialects/openai-responses/dialect";
import { planExchange } from "@tollgate/providers/exchange";
import { providers } from "@tollgate/providers/registry";
import { allowedOutput } from "./allowed-output.ts";

const messages = [{ role: "user", content: "hi" }];

function allowed(dialect: Dialect, providerId: keyof typeof providers, body: Record<string, unknown>) {
  const provider = providers[providerId];
  const model = String(body.model);
  const summary = dialect.summarize(body);
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const exchange = planExchange(dialect, provider, {
    body,
    bytes,
    source: body,
    summary,
    model,
    query: "",
    steered: undefined,
  });
  return allowedOutput({ provider, model, summary, exchange });
}

it("MON-018 every name of the limit bounds the output, for each answer", () => {
  const chat = { model: "gpt-4o", messages };
  expect(allowed(openaiChat, "openai", { ...chat, max_tokens: 20 })).toBe(20);
  expect(allowed(openaiChat, "openai", { ...chat, max_completion_tokens: 20, n: 3 })).toBe(60);
  expect(allowed(openaiChat, "openai", chat)).toBe(16_384);
  expect(allowed(openaiChat, "openai", { ...chat, max_tokens: 1_000_000 })).toBe(16_384);
  expect(allowed(openaiResponses, "openai", { model: "gpt-4o", input: "hi", max_output_tokens: 20 })).toBe(
    20,
  );
  const claude = { model: "claude-sonnet-4-6", messages, max_tokens: 20 };
  expect(allowed(anthropicMessages, "anthropic", claude)).toBe(20);
  expect(allowed(anthropicMessages, "google", { ...claude, model: "gemini-3.8-flash" })).toBe(20);
});

it("MON-018 a translated call with thinking may use the higher limit that was sent: the client's covers only the answer", () => {
  const call = { model: "claude-sonnet-4-5", messages, max_tokens: 500 };
  expect(allowed(openaiChat, "anthropic", call)).toBe(500);
  expect(allowed(openaiChat, "anthropic", { ...call, reasoning_effort: "high" })).toBeGreaterThan(500);
});
