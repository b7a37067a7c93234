import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import {
  type ClientLab,
  chatUsage,
  expectSameTokens,
  messagesUsage,
  startClientLab,
  targets,
} from "../../support/labs/client-lab.ts";

let lab: ClientLab;
beforeAll(async () => {
  lab = await startClientLab();
});
afterAll(() => lab.stop());

/** Deep, with an optional value, a choice and a reference: where the providers' subsets of JSON Schema differ. */
const schema = {
  type: "object",
  properties: {
    city: { type: "string" },
    mood: { type: "string", enum: ["sunny", "grey"] },
    altitude: { type: ["number", "null"] },
    places: { type: "array", items: { $ref: "#/$defs/place" } },
  },
  required: ["city", "mood", "altitude", "places"],
  additionalProperties: false,
  $defs: {
    place: {
      type: "object",
      properties: { name: { type: "string" }, rank: { type: "integer" } },
      required: ["name", "rank"],
      additionalProperties: false,
    },
  },
} as const;
const expected = {
  city: "Lisbon",
  mood: "sunny" as const,
  altitude: 1,
  places: [{ name: "Lisbon", rank: 1 }],
};
const question = [{ role: "user" as const, content: "Describe Lisbon" }];

describe("GW-009 GW-019 structured output", () => {
  for (const target of targets) {
    it(`of ${target.model} is parsed by openai's helper, plain and streamed`, async () => {
      const body = {
        model: target.model,
        messages: question,
        response_format: {
          type: "json_schema" as const,
          json_schema: { name: "place", strict: true, schema: { ...schema } },
        },
      };
      const plain = await lab.observe(target, async () => await lab.openai.chat.completions.parse(body));
      expect(plain.answer.choices[0]?.message.parsed).toEqual(expected);
      expect(plain.answer.choices[0]?.finish_reason).toBe("stop");
      expectSameTokens(chatUsage(plain.answer.usage), plain.event);
      const streamed = await lab.observe(target, () =>
        lab.openai.chat.completions.stream(body).finalChatCompletion(),
      );
      expect(streamed.answer.choices[0]?.message.parsed).toEqual(expected);
      expect(streamed.event.cost_microcents).toBe(plain.event.cost_microcents);
    });

    it(`of ${target.model} is parsed by anthropic's helper, plain and streamed`, async () => {
      const body = {
        model: target.model,
        max_tokens: 2000,
        messages: question,
        output_config: { format: jsonSchemaOutputFormat(schema) },
      };
      const plain = await lab.observe(target, async () => await lab.anthropic.messages.parse(body));
      expect(plain.answer.parsed_output).toEqual(expected);
      expect(plain.answer.stop_reason).toBe("end_turn");
      expectSameTokens(messagesUsage(plain.answer.usage), plain.event);
      const streamed = await lab.observe(target, () => lab.anthropic.messages.stream(body).finalMessage());
      expect(streamed.answer.parsed_output).toEqual(expected);
      expect(streamed.event.cost_microcents).toBe(plain.event.cost_microcents);
    });

    it(`of ${target.model} follows the results of tools that the request still offers`, async () => {
      const call = {
        id: "call_1",
        type: "function" as const,
        function: { name: "look_up", arguments: '{"city":"Lisbon"}' },
      };
      const body = {
        model: target.model,
        messages: [
          ...question,
          { role: "assistant" as const, content: null, tool_calls: [call] },
          { role: "tool" as const, tool_call_id: "call_1", content: "sunny" },
        ],
        tools: [
          {
            type: "function" as const,
            function: {
              name: "look_up",
              parameters: { type: "object", properties: { city: { type: "string" } } },
            },
          },
        ],
        response_format: {
          type: "json_schema" as const,
          json_schema: { name: "place", strict: true, schema: { ...schema } },
        },
      };
      const plain = await lab.observe(target, () => lab.openai.chat.completions.create(body));
      expect(JSON.parse(plain.answer.choices[0]?.message.content ?? "")).toEqual(expected);
      expect(plain.answer.choices[0]?.finish_reason).toBe("stop");
      const streamed = await lab.observe(target, async () => {
        let text = "";
        const stream = await lab.openai.chat.completions.create({ ...body, stream: true });
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
        return text;
      });
      expect(JSON.parse(streamed.answer)).toEqual(expected);
    });

    it(`of ${target.model} as plain JSON is an object`, async () => {
      const { answer } = await lab.observe(target, () =>
        lab.openai.chat.completions.create({
          model: target.model,
          messages: [{ role: "user", content: "Answer in JSON" }],
          response_format: { type: "json_object" },
        }),
      );
      // Anthropic has no such mode, so it becomes an instruction, which the simulated model does not follow.
      if (target.provider !== "anthropic") {
        expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toBeObject();
      }
    });
  }

  it("of a model without support is a forced call that the client never sees", async () => {
    const target = { provider: "anthropic" as const, model: "claude-sonnet-4-0" };
    for (const stream of [false, true]) {
      const { answer, received } = await lab.observe(target, async () => {
        const body = {
          model: target.model,
          messages: question,
          response_format: {
            type: "json_schema" as const,
            json_schema: { name: "place", strict: true, schema: { ...schema } },
          },
        };
        return stream
          ? await lab.openai.chat.completions.stream(body).finalChatCompletion()
          : await lab.openai.chat.completions.parse(body);
      });
      expect(received.body).toHaveProperty("tool_choice");
      expect(answer.choices[0]?.message.tool_calls ?? []).toEqual([]);
      expect(answer.choices[0]?.finish_reason).toBe("stop");
      expect(answer.choices[0]?.message.parsed).toEqual(expected);
    }
  });
});
