/** Hand-computed bills for requests that a model declines: before its first word they are billed by their category. */
import { describe } from "bun:test";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { anthropicAnswer } from "./anthropic-answer.ts";
import { type BillCase, checkBills } from "./check-bills.ts";

const priced = { usage_source: "provider", cost_basis: "priced", service_tier: "standard" } as const;
const fable = { model: "claude-fable-5" }; // $10, $50
const opus = { model: "claude-opus-4-8" }; // $5, $25
const some = { type: "text", text: "Some" };

const usageOf = (input: number, output: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: output,
  service_tier: "standard",
  inference_geo: "not_available",
});

const nothing = { cost_basis: "reported", cost_microcents: 0 } as const;
const billed = { cost_basis: "priced", cost_microcents: 20_600 } as const; // 412 × 50
const guessed = { cost_basis: "estimated", cost_microcents: 20_600 } as const;

describe("MON-016 MON-005 anthropic's bill for a request that is declined before its first word", () => {
  const refusal = (category: string | null, ...content: JsonObject[]) => ({
    content,
    stopReason: "refusal",
    stopDetails: { type: "refusal", category, explanation: null },
  });
  const counted = { ...priced, usage: { input: 412 }, input_tokens: 412, output_tokens: 0 };
  const declined = (
    category: string | null,
    cost: typeof nothing | typeof billed | typeof guessed,
  ): BillCase => ({
    what: `declined for ${category ?? "no category"}`,
    model: opus.model,
    answer: anthropicAnswer({ ...opus, usage: usageOf(412, 0), written: refusal(category) }),
    bill: { ...counted, ...cost },
  });
  checkBills(
    ["/v1/messages", "/v1/chat/completions"],
    [
      declined("cyber", nothing),
      declined("general_harms", nothing),
      declined(null, nothing),
      declined("bio", billed),
      declined("frontier_llm", billed),
      declined("reasoning_extraction", billed),
      declined("a category that is not known here", guessed),
      {
        what: "declined after its first word, which is billed in any category",
        model: opus.model,
        answer: anthropicAnswer({ ...opus, usage: usageOf(412, 7), written: refusal("cyber", some) }),
        bill: { ...counted, usage: { input: 412, output: 7 }, output_tokens: 7, cost_microcents: 22_350 }, // 412 × 50 + 7 × 250
      },
    ],
  );
});

describe("MON-016 MON-005 anthropic's bill for chains of models that decline", () => {
  const handover = (category?: string) => ({
    type: "fallback",
    from: fable,
    to: opus,
    trigger: { type: "refusal", ...(category !== undefined && { category }) },
  });
  const chain = (begun: number, input: number, output: number) => ({
    ...usageOf(input, output),
    iterations: [
      { type: "message", ...fable, input_tokens: 408, output_tokens: begun },
      { type: "fallback_message", ...opus, input_tokens: input, output_tokens: output },
    ],
  });
  const refused = (begun: number, input: number, category: string | null, ...content: JsonObject[]) =>
    anthropicAnswer({
      ...fable,
      written: { content, stopReason: "refusal", stopDetails: { type: "refusal", category } },
      usage: chain(begun, input, 0),
    });
  checkBills(
    ["/v1/messages", "/v1/chat/completions"],
    [
      {
        what: "nothing if all decline before the first word",
        model: fable.model,
        answer: refused(0, 412, null, handover()),
        bill: { ...priced, ...nothing, usage: {}, input_tokens: 0, output_tokens: 0 },
      },
      {
        what: "only the model that had begun, if the next declines before its first word",
        model: fable.model,
        answer: refused(50, 460, "cyber", some, handover("cyber")),
        bill: { ...priced, usage: {}, input_tokens: 408, output_tokens: 50, cost_microcents: 65_800 }, // 408 × 100 + 50 × 500
      },
      {
        what: "only the first, if only its category is billed",
        model: fable.model,
        answer: refused(0, 412, "cyber", handover("bio")),
        bill: { ...priced, usage: {}, input_tokens: 408, output_tokens: 0, cost_microcents: 40_800 }, // 408 × 100
      },
      {
        what: "only the last, if only its category is billed",
        model: fable.model,
        answer: refused(0, 412, "frontier_llm", handover("cyber")),
        bill: { ...priced, ...billed, usage: { input: 412 }, input_tokens: 412, output_tokens: 0 },
      },
      {
        what: "the model that declined in a billed category, beside the one that answers",
        model: fable.model,
        answer: anthropicAnswer({
          ...opus,
          written: { content: [handover("bio"), some], stopReason: "end_turn" },
          usage: chain(0, 412, 264),
        }),
        bill: {
          ...priced,
          usage: { input: 412, output: 264 },
          input_tokens: 820,
          output_tokens: 264,
          cost_microcents: 127_400, // 412 × 50 + 264 × 250 + 408 × 100
        },
      },
    ],
  );
});
