/** docs/decisions/0003-prices.md: a tier applies above the threshold in each provider's documentation. */
import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import { writeAnswer } from "../../support/servers/http-bytes.ts";
import { anthropicAnswer } from "./anthropic-answer.ts";
import { BILL_DAY, type Endpoint, requestBody, streamSteps } from "./check-bills.ts";
import { googleAnswer } from "./google-answer.ts";
import { openaiChatAnswer } from "./openai-chat-answer.ts";
import type { RawAnswer } from "./raw-answer.ts";
import { xaiChatAnswer } from "./xai-chat-answer.ts";

type AnswerOf = (model: string, input: number, output: number) => RawAnswer;

const chatUsage = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});
const openai: AnswerOf = (model, input, output) =>
  openaiChatAnswer({ model, usage: chatUsage(input, output) });
const xai: AnswerOf = (model, input, output) => xaiChatAnswer({ model, usage: chatUsage(input, output) });
const anthropic: AnswerOf = (model, input, output) =>
  anthropicAnswer({ model, usage: { input_tokens: input, output_tokens: output } });
const google: AnswerOf = (model, input, output) =>
  googleAnswer({
    model,
    usage: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  });

const chat: Endpoint = "/v1/chat/completions";

/** Hand-computed bills of 100 output tokens with one input token below the threshold, exactly it, and one above. */
const boundaries: readonly {
  readonly says: string;
  readonly model: string;
  readonly answer: AnswerOf;
  readonly threshold: number;
  readonly microcents: readonly [below: number, at: number, above: number];
}[] = [
  {
    says: "long above 272K: the threshold itself is not, although the base data says so",
    model: "gpt-5.4",
    answer: openai,
    threshold: 272_000,
    // 271,999 × 25 + 100 × 150; 272,000 × 25 + 100 × 150; 272,001 × 50 + 100 × 225
    microcents: [6_814_975, 6_815_000, 13_622_550],
  },
  {
    says: "long above 272K on GPT-6 Astra, too: the threshold itself is not",
    model: "gpt-6-astra",
    answer: openai,
    threshold: 272_000,
    // 271,999 × 100 + 100 × 500; 272,000 × 100 + 100 × 500; 272,001 × 200 + 100 × 750
    microcents: [27_249_900, 27_250_000, 54_475_200],
  },
  {
    says: "long above 272K: the threshold itself is not",
    model: "gpt-6.1-sol",
    answer: openai,
    threshold: 272_000,
    // 271,999 × 20 + 100 × 100; 272,000 × 20 + 100 × 100; 272,001 × 40 + 100 × 150
    microcents: [5_449_980, 5_450_000, 10_895_040],
  },
  {
    says: "long over 200K: the threshold itself is not",
    model: "claude-sonnet-4-5",
    answer: anthropic,
    threshold: 200_000,
    // 199,999 × 30 + 100 × 150; 200,000 × 30 + 100 × 150; 200,001 × 60 + 100 × 225
    microcents: [6_014_970, 6_015_000, 12_022_560],
  },
  {
    says: "long over 100K: the threshold itself is not",
    model: "claude-haiku-5-5",
    answer: anthropic,
    threshold: 100_000,
    // 99,999 × 1 + 100 × 5; 100,000 × 1 + 100 × 5; 100,001 × 5 + 100 × 25
    microcents: [100_499, 100_500, 502_505],
  },
  {
    says: "long over 200K: the threshold itself is not",
    model: "gemini-2.5-pro",
    answer: google,
    threshold: 200_000,
    // 199,999 × 12.5 + 100 × 100 = 2,509,987.5; 200,000 × 12.5 + 100 × 100; 200,001 × 25 + 100 × 150
    microcents: [2_509_988, 2_510_000, 5_015_025],
  },
  {
    says: "long from 200K on: the threshold itself is",
    model: "grok-4.3",
    answer: xai,
    threshold: 200_000,
    // 199,999 × 12.5 + 100 × 25 = 2,502,487.5; 200,000 × 25 + 100 × 50; 200,001 × 25 + 100 × 50
    microcents: [2_502_488, 5_005_000, 5_005_025],
  },
];

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab({ now: () => BILL_DAY });
});
afterAll(() => lab.stop());

async function bill(model: string, answer: RawAnswer, stream = false) {
  lab.play(stream ? streamSteps(answer.frames) : writeAnswer(200, answer.plain));
  const response = await lab.gateway.post(chat, requestBody(chat, model, stream));
  expect(response.status).toBe(200);
  await response.text();
  return lab.event(response);
}

describe("MON-017 MON-008 a request around the long-context threshold", () => {
  for (const { says, model, answer, threshold, microcents } of boundaries) {
    it(`${model}: ${says}`, async () => {
      for (const [at, expected] of microcents.entries()) {
        const input = threshold - 1 + at;
        for (const stream of [false, true]) {
          const event = await bill(model, answer(model, input, 100), stream);
          expect([event.input_tokens, Number(event.cost_microcents)]).toEqual([input, expected]);
          expect(event.cost_basis).toBe("priced");
        }
      }
    });
  }
});

describe("MON-017 the basis of a cost", () => {
  const usage = chatUsage(1000, 10);
  const withUsage = openaiChatAnswer({ model: "gpt-4o-2024-08-06", usage });
  const without: RawAnswer = { plain: withUsage.plain.replace('"usage": {', '"unused": {'), frames: [] };

  it("priced: the provider's tokens at the rates of its version", async () => {
    const event = await bill("gpt-4o", withUsage);
    // 1,000 × 25 + 10 × 100
    expect(event).toMatchObject({ cost_basis: "priced", usage_source: "provider", cost_microcents: 26_000 });
    expect(event.price_version).not.toBeNull();
  });

  it("reported: the provider's own amount, even if we have no price", async () => {
    const stated = xaiChatAnswer({ model: "grok-99", usage: { ...usage, cost_in_usd_ticks: 4_200_000 } });
    const event = await bill("xai/grok-99", stated);
    expect(event).toMatchObject({ cost_basis: "reported", cost_microcents: 4_200, price_version: null });
  });

  it("estimated: counted tokens at the same rates", async () => {
    const event = await bill("gpt-4o", without);
    // 62 bytes of request and 23 of answer: 16 × 25 + 6 × 100
    expect(JSON.stringify(requestBody(chat, "gpt-4o", false))).toHaveLength(62);
    expect(event).toMatchObject({
      cost_basis: "estimated",
      usage_source: "estimated",
      usage: { input: 16, output: 6 },
      cost_microcents: 1_000,
    });
    expect(event.price_version).not.toBeNull();
  });

  it("unpriced: the tokens are known, their price is not, and that is not zero", async () => {
    const event = await bill("openai/gpt-unheard-of", openaiChatAnswer({ model: "gpt-unheard-of", usage }));
    expect(event).toMatchObject({
      cost_basis: "unpriced",
      usage_source: "provider",
      usage: { input: 1000, output: 10 },
      cost_microcents: 0,
      price_version: null,
    });
  });
});
