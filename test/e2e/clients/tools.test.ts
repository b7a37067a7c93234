import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
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

const QUESTION = "Is it warmer in Lisbon, and what time is it there?";

const text = "string" as const;
const parameters = {
  type: "object" as const,
  properties: {
    city: { type: text, description: "The city" },
    unit: { type: text, enum: ["celsius", "fahrenheit"] },
    days: { type: ["integer" as const, "null" as const] },
  },
  required: ["city", "unit", "days"],
  additionalProperties: false,
};
const noParameters = { type: "object" as const, properties: {} };

type Input = Record<string, unknown>;

/** Runnable tools that record every call for the test. */
function toolbox() {
  const calls: { name: string; input: unknown }[] = [];
  return {
    calls,
    weather(input: Input) {
      calls.push({ name: "get_weather", input });
      return JSON.stringify({ city: input.city, degrees: 21 });
    },
    clock(input: Input) {
      calls.push({ name: "get_time", input });
      return "14:05";
    },
  };
}

function chatTools(box: ReturnType<typeof toolbox>) {
  return [
    {
      type: "function" as const,
      function: {
        name: "get_weather",
        description: "The weather of a city",
        parameters,
        parse: (text: string): Input => JSON.parse(text),
        function: (input: Input) => box.weather(input),
      },
    },
    {
      type: "function" as const,
      function: {
        name: "get_time",
        description: "The time of day",
        parameters: noParameters,
        parse: (text: string): Input => JSON.parse(text),
        function: (input: Input) => box.clock(input),
      },
    },
  ];
}

function expectLoop(box: ReturnType<typeof toolbox>, final: string | null): void {
  const lisbon = { city: "Lisbon", unit: "celsius", days: 1 };
  expect(box.calls).toEqual([
    { name: "get_weather", input: lisbon },
    { name: "get_time", input: {} },
  ]);
  // The simulated models repeat the tools' results, so both reached them.
  expect(final).toContain("21");
  expect(final).toContain("14:05");
}

for (const target of targets) {
  const twoCalls = [target.provider, target.provider];

  describe(`GW-009 GW-019 two tools called in parallel by ${target.model}, results sent back, final text`, () => {
    it("openai 7's own tool runner, plain", async () => {
      const box = toolbox();
      const { answer, events } = await lab.observeAll(twoCalls, "success", async () => {
        const runner = lab.openai.chat.completions.runTools({
          model: target.model,
          messages: [{ role: "user", content: QUESTION }],
          tools: chatTools(box),
        });
        const final = await runner.finalContent();
        return { text: final, completions: runner.allChatCompletions() };
      });
      expectLoop(box, answer.text);
      expect(answer.completions.map(completion => completion.choices[0]?.finish_reason)).toEqual([
        "tool_calls",
        "stop",
      ]);
      for (const [at, event] of events.entries())
        expectSameTokens(chatUsage(answer.completions[at]?.usage), event);
    });

    it("GW-006 openai 7's own tool runner, streamed arguments", async () => {
      const box = toolbox();
      const { answer, events } = await lab.observeAll(twoCalls, "success", async () => {
        const runner = lab.openai.chat.completions.runTools({
          model: target.model,
          messages: [{ role: "user", content: QUESTION }],
          tools: chatTools(box),
          stream: true,
        });
        return await runner.finalContent();
      });
      expectLoop(box, answer);
      expect(events.every(event => event.stream)).toBe(true);
    });

    it("openai 4's own tool runner, plain and streamed", async () => {
      for (const stream of [false, true]) {
        const box = toolbox();
        const body = {
          model: target.model,
          messages: [{ role: "user" as const, content: QUESTION }],
          tools: chatTools(box),
        };
        const { answer } = await lab.observeAll(twoCalls, "success", async () => {
          const runner = stream
            ? lab.openaiOlder.beta.chat.completions.runTools({ ...body, stream: true })
            : lab.openaiOlder.beta.chat.completions.runTools(body);
          return await runner.finalContent();
        });
        expectLoop(box, answer);
      }
    });

    for (const stream of [false, true]) {
      it(`GW-018 GW-020 @anthropic-ai/sdk 1's own tool runner, ${stream ? "streamed" : "plain"}`, async () => {
        const box = toolbox();
        const { answer, events } = await lab.observeAll(twoCalls, "success", () =>
          runAnthropic(box, target.model, stream),
        );
        expectLoop(box, answer.at(-1)?.text ?? "");
        expect(answer.map(message => message.stop)).toEqual(["tool_use", "end_turn"]);
        for (const [at, event] of events.entries()) {
          const told = answer[at]?.usage;
          if (told) expectSameTokens(told, event);
          expect(event.stream).toBe(stream);
        }
      });

      it(`GW-018 GW-020 @anthropic-ai/sdk 0.137 by hand, ${stream ? "streamed" : "plain"}`, async () => {
        const box = toolbox();
        const { answer } = await lab.observeAll(twoCalls, "success", () =>
          loopByHand(box, target.model, stream),
        );
        expectLoop(box, answer);
      });
    }
  });
}

async function runAnthropic(box: ReturnType<typeof toolbox>, model: string, stream: boolean) {
  const runner = lab.anthropic.beta.messages.toolRunner({
    model,
    max_tokens: 2000,
    messages: [{ role: "user", content: QUESTION }],
    tools: [
      betaTool({
        name: "get_weather",
        description: "The weather of a city",
        inputSchema: parameters,
        run: input => box.weather(inputOf(input)),
      }),
      betaTool({
        name: "get_time",
        description: "The time of day",
        inputSchema: noParameters,
        run: input => box.clock(inputOf(input)),
      }),
    ],
    stream,
  });
  const messages = [];
  for await (const step of runner) {
    const message = "finalMessage" in step ? await step.finalMessage() : step;
    const text = message.content.map(block => (block.type === "text" ? block.text : "")).join("");
    messages.push({ text, stop: message.stop_reason, usage: messagesUsage(message.usage) });
  }
  return messages;
}

async function loopByHand(box: ReturnType<typeof toolbox>, model: string, stream: boolean): Promise<string> {
  const tools = [
    { name: "get_weather", description: "The weather of a city", input_schema: parameters },
    { name: "get_time", input_schema: { type: "object" as const } },
  ];
  const ask = async (messages: Parameters<typeof lab.anthropicOlder.messages.create>[0]["messages"]) => {
    const body = { model, max_tokens: 2000, messages, tools };
    return stream
      ? await lab.anthropicOlder.messages.stream(body).finalMessage()
      : await lab.anthropicOlder.messages.create(body);
  };
  const question = { role: "user" as const, content: QUESTION };
  const first = await ask([question]);
  const results = first.content.flatMap(block => {
    if (block.type !== "tool_use") return [];
    const run = block.name === "get_time" ? box.clock : box.weather;
    const content = run(inputOf(block.input));
    return [{ type: "tool_result" as const, tool_use_id: block.id, content }];
  });
  const last = await ask([
    question,
    { role: "assistant", content: first.content },
    { role: "user", content: results },
  ]);
  return last.content.map(block => (block.type === "text" ? block.text : "")).join("");
}

function inputOf(input: unknown): Input {
  if (typeof input !== "object" || input === null) throw new Error("a tool's input is an object");
  return { ...input };
}

const definitions = ["first_tool", "second_tool"].map(name => ({
  type: "function" as const,
  function: {
    name,
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
}));
const namesOf = (calls: readonly { type: string; function?: { name: string } }[] | undefined) =>
  (calls ?? []).map(call => call.function?.name);

describe("GW-009 GW-019 the choice of a tool", () => {
  const choices = [
    { choice: "auto", expected: ["first_tool", "second_tool"] },
    { choice: "required", expected: ["first_tool", "second_tool"] },
    { choice: "none", expected: [] },
    { choice: { type: "function", function: { name: "second_tool" } }, expected: ["second_tool"] },
  ] as const;
  for (const target of targets) {
    for (const { choice, expected } of choices) {
      it(`reaches ${target.model} from a chat client: ${JSON.stringify(choice)}`, async () => {
        for (const stream of [false, true]) {
          const body = {
            model: target.model,
            messages: [{ role: "user" as const, content: QUESTION }],
            tools: definitions,
            tool_choice: choice,
          };
          const { answer } = await lab.observe(target, async () =>
            stream
              ? await lab.openai.chat.completions.stream(body).finalChatCompletion()
              : await lab.openai.chat.completions.create(body),
          );
          expect(namesOf(answer.choices[0]?.message.tool_calls)).toEqual([...expected]);
          expect(answer.choices[0]?.finish_reason).toBe(expected.length > 0 ? "tool_calls" : "stop");
        }
      });
    }

    const anthropicChoices = [
      { choice: { type: "auto" }, expected: ["first_tool", "second_tool"] },
      { choice: { type: "any" }, expected: ["first_tool", "second_tool"] },
      { choice: { type: "none" }, expected: [] },
      { choice: { type: "tool", name: "second_tool" }, expected: ["second_tool"] },
      { choice: { type: "auto", disable_parallel_tool_use: true }, expected: ["first_tool"] },
    ] as const;
    for (const { choice, expected } of anthropicChoices) {
      // Gemini has no equivalent of one call at a time.
      if ("disable_parallel_tool_use" in choice && target.provider === "google") continue;
      it(`reaches ${target.model} from a messages client: ${JSON.stringify(choice)}`, async () => {
        for (const stream of [false, true]) {
          const body = {
            model: target.model,
            max_tokens: 2000,
            messages: [{ role: "user" as const, content: QUESTION }],
            tools: definitions.map(({ function: { name, parameters } }) => ({
              name,
              input_schema: { ...parameters, type: "object" as const },
            })),
            tool_choice: choice,
          };
          const { answer } = await lab.observe(target, async () =>
            stream
              ? await lab.anthropic.messages.stream(body).finalMessage()
              : await lab.anthropic.messages.create(body),
          );
          const called = answer.content.flatMap(block => (block.type === "tool_use" ? [block.name] : []));
          expect(called).toEqual([...expected]);
          expect(answer.stop_reason).toBe(expected.length > 0 ? "tool_use" : "end_turn");
        }
      });
    }

    it(`GW-019 a name of 100 characters reaches ${target.model} and comes back, whole, streamed and in the history`, async () => {
      const name = `mcp__files__${"read_".repeat(17)}all`;
      const body = {
        model: target.model,
        max_tokens: 2000,
        messages: [
          { role: "user" as const, content: QUESTION },
          { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "t1", name, input: {} }] },
          { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "t1" }] },
          { role: "assistant" as const, content: "Done." },
          { role: "user" as const, content: "Again." },
        ],
        // As many MCP servers declare a tool without parameters.
        tools: [{ name, input_schema: { type: "object" as const } }],
        tool_choice: { type: "tool" as const, name },
      };
      for (const stream of [false, true]) {
        const { answer } = await lab.observe(target, async () =>
          stream
            ? await lab.anthropic.messages.stream(body).finalMessage()
            : await lab.anthropic.messages.create(body),
        );
        expect(answer.content.findLast(block => block.type === "tool_use")?.name).toBe(name);
      }
    });
  }
});
