/** Hand-computed bills: only the input is billed. */
import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import { writeAnswer } from "../../support/servers/http-bytes.ts";
import { BILL_DAY, type Bill, billOf } from "./check-bills.ts";

interface EmbeddingCase {
  readonly what: string;
  readonly model: string;
  readonly input: string | readonly string[];
  readonly answer: object;
  readonly inputTokens: number;
  readonly from: Pick<Bill, "usage_source" | "cost_basis">;
  readonly microcents: number;
}

const exact = { usage_source: "provider", cost_basis: "priced" } as const;

const openaiAnswer = (model: string, tokens: number, count: number) => ({
  object: "list",
  data: Array.from({ length: count }, (_, index) => ({
    object: "embedding",
    index,
    embedding: [0.25, -0.5, 0.125],
  })),
  model,
  usage: { prompt_tokens: tokens, total_tokens: tokens },
});

const cases: readonly EmbeddingCase[] = [
  {
    what: "a bill below one microcent is rounded, once",
    model: "text-embedding-3-small",
    input: "Hello there",
    answer: openaiAnswer("text-embedding-3-small", 4, 1),
    inputTokens: 4,
    from: exact,
    microcents: 1, // 4 × 0.2 = 0.8
  },
  {
    what: "several inputs, one bill",
    model: "text-embedding-3-large",
    input: ["one", "two", "three"],
    answer: openaiAnswer("text-embedding-3-large", 1234, 3),
    inputTokens: 1234,
    from: exact,
    microcents: 1_604, // 1,234 × 1.3 = 1,604.2
  },
  {
    what: "google, where it counts",
    model: "gemini-embedding-2",
    input: ["one", "two"],
    answer: {
      embeddings: [{ values: [0.25, -0.5] }, { values: [0.5, 0.25] }],
      usageMetadata: {
        promptTokenCount: 9,
        promptTokenDetails: [{ modality: "TEXT", tokenCount: 9 }],
      },
    },
    inputTokens: 9,
    from: exact,
    microcents: 18, // 9 × 2
  },
  {
    what: "google, where it counts nothing: four bytes of input a token",
    model: "gemini-embedding-001",
    input: "Grüße, Bern",
    answer: { embeddings: [{ values: [0.25, -0.5] }] },
    inputTokens: 4, // 13 bytes
    from: { usage_source: "estimated", cost_basis: "estimated" },
    microcents: 6, // 4 × 1.5
  },
];

describe("MON-016 the bill of embeddings", () => {
  let lab: FaultLab;
  beforeAll(async () => {
    lab = await startFaultLab({ now: () => BILL_DAY });
  });
  afterAll(() => lab.stop());

  for (const { what, model, input, answer, inputTokens, from, microcents } of cases) {
    it(`${model}: ${what}`, async () => {
      lab.play(writeAnswer(200, JSON.stringify(answer, null, 2)));
      const response = await lab.gateway.post("/v1/embeddings", { model, input });
      expect(response.status).toBe(200);
      await response.text();
      const event = await lab.event(response);
      expect(event).toMatchObject({ status: "success", stream: false });
      expect(billOf(event)).toEqual({
        ...from,
        usage: { input: inputTokens },
        input_tokens: inputTokens,
        output_tokens: 0,
        service_tier: null,
        cost_microcents: microcents,
      });
      expect(response.headers.get("x-gateway-cost")).toBe(String(microcents));
      expect(lab.gateway.verify().ok).toBe(true);
    });
  }
});
