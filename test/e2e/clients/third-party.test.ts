import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatAnthropic } from "@langchain/anthropic";
import { type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import {
  embedMany,
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  Output,
  streamText,
  tool,
} from "ai";
import {
  type ClientLab,
  expectSameTokens,
  startClientLab,
  type Target,
  targets,
} from "../../support/labs/client-lab.ts";

let lab: ClientLab;
beforeAll(async () => {
  lab = await startClientLab();
});
afterAll(() => lab.stop());

const prompt = "What is the weather in Lisbon?";
const cityOnly = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
  additionalProperties: false,
};

// It would warn about every model that its anthropic package does not know.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** The AI SDK's four ways of connecting. */
const settings = () => ({
  baseURL: `${lab.gateway.url}/v1`,
  apiKey: lab.gateway.liveKey,
  headers: lab.defaultHeaders,
});
const ways: readonly { name: string; serves: readonly Target[]; model(name: string): LanguageModel }[] = [
  { name: "@ai-sdk/openai .chat", serves: targets, model: name => createOpenAI(settings()).chat(name) },
  {
    name: "@ai-sdk/openai (responses)",
    serves: targets.filter(({ provider }) => provider === "openai" || provider === "xai"),
    model: name => createOpenAI(settings())(name),
  },
  {
    name: "@ai-sdk/openai-compatible",
    serves: targets,
    model: name =>
      createOpenAICompatible({
        name: "gateway",
        includeUsage: true,
        supportsStructuredOutputs: true,
        ...settings(),
      })(name),
  },
  {
    name: "@ai-sdk/anthropic",
    serves: targets,
    model(name) {
      const { apiKey: authToken, ...rest } = settings();
      return createAnthropic({ ...rest, authToken })(name);
    },
  },
];

for (const way of ways) {
  describe(`GW-009 GW-019 the AI SDK through ${way.name}`, () => {
    for (const target of way.serves) {
      const { provider } = target;

      it(`generates and streams text with ${target.model}`, async () => {
        const request = {
          model: way.model(target.model),
          system: "Be terse.",
          prompt,
          maxRetries: 0,
        };
        const plain = await lab.observe(target, () => generateText(request));
        expect(plain.answer.text).toContain(prompt);
        expect(plain.answer.finishReason).toBe("stop");
        expectUsage(plain.answer.usage, plain.event);
        expect(plain.received.text).toContain("Be terse.");
        const streamed = await lab.observe(target, async () => {
          const result = streamText(request);
          return { text: await result.text, usage: await result.totalUsage };
        });
        expect(streamed.answer.text).toBe(plain.answer.text);
        expectUsage(streamed.answer.usage, streamed.event);
      });

      it(`runs a tool called by ${target.model} and continues with its result, plain and streamed`, async () => {
        const request = {
          model: way.model(target.model),
          prompt,
          maxRetries: 0,
          stopWhen: isStepCount(3),
          tools: {
            weather: tool({
              description: "The weather of a city",
              inputSchema: jsonSchema<{ city: string }>(cityOnly),
              execute: async ({ city }) => ({ city, degrees: 21 }),
            }),
          },
        };
        for (const stream of [false, true]) {
          const { answer, received } = await lab.observeAll([provider, provider], "success", async () =>
            stream ? await streamText(request).text : (await generateText(request)).text,
          );
          expect(answer).toContain("21");
          // This one preserves google's signatures: the model gets its own back, not a placeholder.
          if (way.name === "@ai-sdk/openai-compatible" && target.model === "gemini-3-pro-preview") {
            expect(received[1]?.text).toContain("thoughtSignature");
            expect(received[1]?.text).not.toContain("skip_thought_signature_validator");
          }
        }
      });

      it(`gets an object from ${target.model} that fits its schema`, async () => {
        const { answer } = await lab.observe(target, () =>
          generateText({
            model: way.model(target.model),
            prompt,
            maxRetries: 0,
            output: Output.object({ schema: jsonSchema<{ city: string }>(cityOnly) }),
          }),
        );
        expect(answer.output).toEqual({ city: "Lisbon" });
      });
    }
  });
}

function expectUsage(
  usage: { readonly inputTokens: number | undefined; readonly totalTokens: number | undefined },
  event: Parameters<typeof expectSameTokens>[1],
): void {
  const input = usage.inputTokens ?? -1;
  // It adds input and output itself; xAI's chat output count excludes reasoning.
  const output = event.provider === "xai" ? event.output_tokens : (usage.totalTokens ?? -1) - input;
  expectSameTokens({ input, output }, event);
}

describe("GW-023 the AI SDK's embeddings", () => {
  const models: readonly Target[] = [
    { provider: "openai", model: "text-embedding-3-small" },
    { provider: "google", model: "gemini-embedding-001" },
  ];
  for (const target of models) {
    it(`of ${target.model}`, async () => {
      const { answer, event } = await lab.observe(target, () =>
        embedMany({
          model: createOpenAI(settings()).embedding(target.model),
          values: ["one", "two"],
          maxRetries: 0,
        }),
      );
      expect(answer.embeddings).toHaveLength(2);
      expect(answer.usage.tokens).toBe(event.input_tokens);
    });
  }
});

const langchain: readonly { name: string; model(name: string): ChatOpenAI | ChatAnthropic }[] = [
  {
    name: "@langchain/openai",
    model: name =>
      new ChatOpenAI({
        model: name,
        apiKey: lab.gateway.liveKey,
        configuration: { baseURL: `${lab.gateway.url}/v1`, defaultHeaders: lab.defaultHeaders },
        maxRetries: 0,
        useResponsesApi: false,
      }),
  },
  {
    name: "@langchain/anthropic",
    model: name =>
      new ChatAnthropic({
        model: name,
        apiKey: lab.gateway.liveKey,
        anthropicApiUrl: lab.gateway.url,
        clientOptions: { defaultHeaders: lab.defaultHeaders },
        maxTokens: 2000,
        maxRetries: 0,
      }),
  },
];

for (const { name, model } of langchain) {
  describe(`GW-009 GW-019 GW-022 LangChain through ${name}`, () => {
    for (const target of targets) {
      const messages: BaseMessage[] = [new SystemMessage("Be terse."), new HumanMessage(prompt)];

      it(`invokes and streams ${target.model}`, async () => {
        const plain = await lab.observe(target, () => model(target.model).invoke(messages));
        expect(plain.answer.text).toContain(prompt);
        expect(plain.answer).toMatchObject({
          usage_metadata: { input_tokens: plain.event.input_tokens },
        });
        const streamed = await lab.observe(target, async () => {
          let text = "";
          for await (const chunk of await model(target.model).stream(messages)) text += chunk.text;
          return text;
        });
        expect(streamed.answer).toBe(plain.answer.text);
        expect(streamed.event.cost_microcents).toBe(plain.event.cost_microcents);
      });

      it(`binds tools to ${target.model}, answers its calls and gets the final text`, async () => {
        const tools = ["weather", "clock"].map(toolName => ({
          type: "function" as const,
          function: { name: toolName, description: `The ${toolName}`, parameters: cityOnly },
        }));
        const twice = [target.provider, target.provider];
        const { answer } = await lab.observeAll(twice, "success", async () => {
          const bound = model(target.model).bindTools(tools);
          const first = await bound.invoke([new HumanMessage(prompt)]);
          const results = (first.tool_calls ?? []).map(
            call =>
              new ToolMessage({
                tool_call_id: call.id ?? "",
                content: `${call.name}: fine`,
                name: call.name,
              }),
          );
          const last = await bound.invoke([new HumanMessage(prompt), first, ...results]);
          return { calls: first.tool_calls ?? [], text: last.text };
        });
        expect(answer.calls.map(call => [call.name, call.args])).toEqual([
          ["weather", { city: "Lisbon" }],
          ["clock", { city: "Lisbon" }],
        ]);
        expect(answer.text).toContain("clock: fine");
      });
    }
  });
}

describe("GW-023 LangChain's embeddings", () => {
  for (const [provider, model] of [
    ["openai", "text-embedding-3-small"],
    ["google", "gemini-embedding-001"],
  ] as const) {
    it(`of ${model}`, async () => {
      const { answer } = await lab.observe({ provider, model }, () =>
        new OpenAIEmbeddings({
          model,
          apiKey: lab.gateway.liveKey,
          configuration: { baseURL: `${lab.gateway.url}/v1`, defaultHeaders: lab.defaultHeaders },
          maxRetries: 0,
        }).embedDocuments(["one", "two"]),
      );
      expect(answer.map(vector => vector.length)).toEqual(
        provider === "openai" ? [1536, 1536] : [3072, 3072],
      );
    });
  }
});
