import { describe, expect, it } from "bun:test";
import { anthropicMessages } from "./anthropic-messages/dialect.ts";
import { openaiChat } from "./openai-chat/dialect.ts";
import { openaiEmbeddings } from "./openai-embeddings/dialect.ts";
import { openaiResponses } from "./openai-responses/dialect.ts";

const thinking = (budget: number) => ({ type: "enabled", budget_tokens: budget });

describe("a lower limit on the answer", () => {
  for (const [dialect, body, tokens, capped, model = "any-model"] of [
    [openaiChat, {}, 50, { max_completion_tokens: 50 }],
    [openaiChat, {}, 50, { max_tokens: 50 }, "gpt-4"],
    [openaiChat, { max_tokens: null }, 50, { max_tokens: null, max_completion_tokens: 50 }],
    [openaiChat, { max_tokens: 90 }, 50, { max_tokens: 50 }],
    [openaiChat, { max_completion_tokens: 90 }, 50, { max_completion_tokens: 50 }],
    [
      openaiChat,
      { max_tokens: 80, max_completion_tokens: 90 },
      50,
      { max_tokens: 50, max_completion_tokens: 50 },
    ],
    [anthropicMessages, { max_tokens: 90 }, 50, { max_tokens: 50 }],
    [
      anthropicMessages,
      { max_tokens: 9000, thinking: thinking(2000) },
      4000,
      { max_tokens: 4000, thinking: thinking(2000) },
    ],
    [
      anthropicMessages,
      { max_tokens: 9000, thinking: thinking(8000) },
      4000,
      { max_tokens: 4000, thinking: thinking(2000) },
    ],
    [
      anthropicMessages,
      { max_tokens: 9000, thinking: thinking(8000) },
      2000,
      { max_tokens: 2000, thinking: { type: "disabled" } },
    ],
    [openaiResponses, { max_output_tokens: 90 }, 50, { max_output_tokens: 50 }],
    [openaiResponses, {}, 50, { max_output_tokens: 50 }],
    [openaiEmbeddings, { input: "x" }, 50, { input: "x" }],
  ] as const) {
    it(`BUD-017 ${dialect.id}: ${JSON.stringify(body)} becomes ${JSON.stringify(capped)}`, () => {
      expect(dialect.capOutput(body, tokens, model)).toEqual(capped);
    });
  }
});
