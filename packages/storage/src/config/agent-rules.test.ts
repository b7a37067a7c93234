import { describe, expect, it } from "bun:test";
import { toAgentRules } from "./agent-rules.ts";

const nothing = { split: null, model: null, maxOutputTokens: null, cachesPrompt: false };
const row = (optimization_type: string, payload: string, agent_key = "a") => ({
  agent_key,
  optimization_type,
  payload,
});

describe("optimizations applied to agents", () => {
  it("are merged into one record per agent", () => {
    const split = { experimentId: "e", treatmentModel: "m", trafficPct: 10, endsAtMs: 5 };
    const rules = toAgentRules(
      [
        row("model_switch", '{"model":"gpt-4o"}'),
        row("token_guardrails", '{"max_output_tokens":200}'),
        row("prompt_caching", "{}", "b"),
      ],
      [
        { agent_key: "a", ...split },
        { agent_key: "c", ...split },
      ],
    );
    expect(Object.fromEntries(rules)).toEqual({
      a: { split, model: "gpt-4o", maxOutputTokens: 200, cachesPrompt: false },
      b: { ...nothing, cachesPrompt: true },
      c: { ...nothing, split },
    });
  });

  for (const [type, payload] of [
    ["model_switch", "{}"],
    ["model_switch", '{"model":""}'],
    ["model_switch", "not JSON"],
    ["model_switch", "null"],
    ["token_guardrails", '{"max_output_tokens":0}'],
    ["token_guardrails", '{"max_output_tokens":"many"}'],
    ["token_guardrails", '{"max_output_tokens":1.5}'],
    ["of a later version", "{}"],
  ] as const) {
    it(`are ignored if the payload is invalid: ${type} ${payload}`, () => {
      expect(toAgentRules([row(type, payload)], []).size).toBe(0);
    });
  }
});
