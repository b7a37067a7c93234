/**
 * What is billed when the client disconnects. Every request is 400 bytes long, so its prompt is estimated at 100
 * tokens: four bytes each. The visible text is counted the same way, and rounded up.
 */
import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { openRawCall } from "../../support/clients/raw-call.ts";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import {
  writeAnswer,
  writeChunk,
  writeChunkedHead,
  writeHead,
  writeLastChunk,
} from "../../support/servers/http-bytes.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { anthropicAnswer } from "./anthropic-answer.ts";
import { BILL_DAY, type Bill, billOf, type Endpoint } from "./check-bills.ts";
import { googleAnswer } from "./google-answer.ts";
import { openaiChatAnswer } from "./openai-chat-answer.ts";
import { crlfFrame, type RawAnswer } from "./raw-answer.ts";
import { responsesAnswer } from "./responses-answer.ts";
import { xaiChatAnswer } from "./xai-chat-answer.ts";

interface Leaving {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  readonly model: string;
  readonly answer: RawAnswer;
  /** The client disconnects after this many frames, the last of which has this text. */
  readonly framesSeen: number;
  readonly lastText: string;
  readonly cut: Bill;
  readonly whole: Bill;
}

const chatAndMessages: readonly Endpoint[] = ["/v1/chat/completions", "/v1/messages"];
const responses: readonly Endpoint[] = ["/v1/responses"];
const exact = { usage_source: "provider", cost_basis: "priced" } as const;
const estimated = { usage_source: "estimated", cost_basis: "estimated" } as const;

const tokens = (usage: Bill["usage"], input_tokens: number, output_tokens: number) => ({
  usage,
  input_tokens,
  output_tokens,
});

const leavings: readonly Leaving[] = [
  {
    name: "openai",
    endpoints: chatAndMessages,
    model: "gpt-4o",
    answer: openaiChatAnswer({
      model: "gpt-4o-2024-08-06",
      usage: {
        prompt_tokens: 2806,
        completion_tokens: 117,
        total_tokens: 2923,
        prompt_tokens_details: { cached_tokens: 2560, audio_tokens: 0 },
      },
    }),
    framesSeen: 3,
    lastText: "aus ",
    cut: {
      ...estimated,
      service_tier: "default",
      ...tokens({ input: 100, output: 3 }, 100, 3), // "Grüße aus " is 12 bytes
      cost_microcents: 2_800, // 100 × 25 + 3 × 100
    },
    whole: {
      ...exact,
      service_tier: "default",
      ...tokens({ input: 246, cache_read: 2560, output: 117 }, 2806, 117),
      cost_microcents: 49_850, // 246 × 25 + 2,560 × 12.5 + 117 × 100
    },
  },
  {
    name: "openai's responses",
    endpoints: responses,
    model: "gpt-4.1",
    answer: responsesAnswer({
      model: "gpt-4.1-2025-04-14",
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    }),
    framesSeen: 4,
    lastText: "Hej ",
    cut: {
      ...estimated,
      service_tier: "auto",
      ...tokens({ input: 100, output: 1 }, 100, 1), // "Hej " is 4 bytes
      cost_microcents: 2_080, // 100 × 20 + 1 × 80
    },
    whole: {
      ...exact,
      service_tier: "default",
      ...tokens({ input: 10, output: 5 }, 10, 5),
      cost_microcents: 600, // 10 × 20 + 5 × 80
    },
  },
  {
    name: "anthropic, which counts the prompt at the start",
    endpoints: ["/v1/messages", "/v1/chat/completions"],
    model: "claude-sonnet-4-5",
    answer: anthropicAnswer({
      model: "claude-sonnet-4-5-20250929",
      usage: {
        input_tokens: 12,
        cache_creation_input_tokens: 3000,
        cache_read_input_tokens: 5000,
        cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
        output_tokens: 100,
        service_tier: "standard",
      },
    }),
    framesSeen: 4,
    lastText: "Bonjour ",
    cut: {
      ...estimated,
      service_tier: "standard",
      ...tokens({ input: 12, cache_read: 5000, cache_write: 1000, cache_write_1h: 2000, output: 2 }, 8012, 2),
      cost_microcents: 173_160, // 12 × 30 + 5,000 × 3 + 1,000 × 37.5 + 2,000 × 60 + 2 × 150
    },
    whole: {
      ...exact,
      service_tier: "standard",
      ...tokens(
        { input: 12, cache_read: 5000, cache_write: 1000, cache_write_1h: 2000, output: 100 },
        8012,
        100,
      ),
      cost_microcents: 187_860, // the same, with 100 × 150
    },
  },
  {
    name: "google, whose own count of the answer so far stands",
    endpoints: chatAndMessages,
    model: "gemini-2.5-flash",
    answer: googleAnswer({
      model: "gemini-2.5-flash",
      says: "thoughts",
      usage: {
        promptTokenCount: 300,
        candidatesTokenCount: 12,
        thoughtsTokenCount: 90,
        totalTokenCount: 402,
        serviceTier: "standard",
      },
    }),
    framesSeen: 2,
    lastText: "Ciao ",
    cut: {
      ...estimated,
      service_tier: "standard",
      ...tokens({ input: 300, output: 2, reasoning: 90 }, 300, 92),
      cost_microcents: 3_200, // 300 × 3 + 92 × 25
    },
    whole: {
      ...exact,
      service_tier: "standard",
      ...tokens({ input: 300, output: 12, reasoning: 90 }, 300, 102),
      cost_microcents: 3_450, // 300 × 3 + 102 × 25
    },
  },
  {
    name: "xai",
    endpoints: chatAndMessages,
    model: "grok-4.3",
    answer: xaiChatAnswer({
      model: "grok-4.3",
      usage: {
        prompt_tokens: 112,
        completion_tokens: 9,
        total_tokens: 411,
        prompt_tokens_details: { text_tokens: 112, cached_tokens: 100 },
        completion_tokens_details: { reasoning_tokens: 290 },
        cost_in_usd_ticks: 7_825_000,
      },
    }),
    framesSeen: 3,
    lastText: "ezi ",
    cut: {
      ...estimated,
      service_tier: null,
      ...tokens({ input: 100, output: 6 }, 100, 6), // "The user greets." and "Grüezi " are 24 bytes
      cost_microcents: 1_400, // 100 × 12.5 + 6 × 25
    },
    whole: {
      usage_source: "provider",
      cost_basis: "reported",
      service_tier: null,
      ...tokens({ input: 12, cache_read: 100, output: 9, reasoning: 290 }, 112, 299),
      cost_microcents: 7_825, // 7,825,000 ticks; 12 × 12.5 + 100 × 2 + 299 × 25
    },
  },
];

function bodyOf400Bytes(endpoint: Endpoint, model: string, stream: boolean): string {
  const write = (prompt: string) =>
    JSON.stringify({
      model,
      stream,
      ...(endpoint === "/v1/responses"
        ? { input: prompt }
        : { max_tokens: 4096, messages: [{ role: "user", content: prompt }] }),
    });
  return write("x".repeat(400 - write("").length));
}

const open = (lab: FaultLab, endpoint: Endpoint, model: string, stream: boolean) =>
  openRawCall(lab.gateway.url, endpoint, lab.gateway.headers(), bodyOf400Bytes(endpoint, model, stream));

/** The client's close is in the kernel once it has left; a round trip later the gateway has seen it. */
async function leave(lab: FaultLab, call: Awaited<ReturnType<typeof openRawCall>>): Promise<void> {
  call.leave();
  await eventually("the client is gone", () => call.isClosed);
  await lab.inFlight();
  await lab.inFlight();
}

describe("MON-016 GW-034 the bill of a stream whose client disconnected", () => {
  let lab: FaultLab;
  beforeAll(async () => {
    lab = await startFaultLab({ now: () => BILL_DAY });
  });
  afterAll(() => lab.stop());

  for (const { name, endpoints, model, answer, framesSeen, lastText, cut } of leavings) {
    for (const endpoint of endpoints) {
      it(`${name}; ${endpoint}`, async () => {
        const sent = answer.frames.slice(0, framesSeen).map(writeChunk);
        lab.play([writeChunkedHead(), ...sent, { do: "hang" }]);
        const call = await open(lab, endpoint, model, true);
        await call.until(lastText);
        call.leave();
        const event = await lab.event();
        expect(event.status).toBe("cancelled");
        expect(billOf(event)).toEqual(cut);
      });
    }
  }

  it("google, whose head states the service before any count does", async () => {
    const head = { "content-type": "text/event-stream", "transfer-encoding": "chunked" };
    const said = { candidates: [{ content: { parts: [{ text: "Ciao a tutti" }] } }] };
    lab.play([
      writeHead(200, { ...head, "x-gemini-service-tier": "priority" }),
      writeChunk(crlfFrame(said)),
      { do: "hang" },
    ]);
    const call = await open(lab, "/v1/chat/completions", "gemini-2.5-flash-lite", true);
    await call.until("Ciao");
    call.leave();
    expect(billOf(await lab.event())).toEqual({
      ...estimated,
      service_tier: "priority",
      ...tokens({ input: 100, output: 3 }, 100, 3),
      cost_microcents: 202, // (100 × 1 + 3 × 4) × 1.8 = 201.6
    });
  });
});

describe("MON-016 GW-035 the bill of an answer that is read to the end after its client disconnected", () => {
  let lab: FaultLab;
  beforeAll(async () => {
    lab = await startFaultLab({ now: () => BILL_DAY, onDisconnect: "drain" });
  });
  afterAll(() => lab.stop());

  for (const { name, endpoints, model, answer, framesSeen, lastText, whole } of leavings) {
    for (const endpoint of endpoints) {
      it(`${name}; ${endpoint}, streamed`, async () => {
        const { promise: left, resolve: goOn } = Promise.withResolvers<void>();
        lab.play([
          writeChunkedHead(),
          ...answer.frames.slice(0, framesSeen).map(writeChunk),
          { do: "until", promise: left },
          ...answer.frames.slice(framesSeen).map(writeChunk),
          writeLastChunk,
        ]);
        const call = await open(lab, endpoint, model, true);
        await call.until(lastText);
        await leave(lab, call);
        goOn();
        const event = await lab.event();
        expect(event.status).toBe("cancelled");
        expect(billOf(event)).toEqual(whole);
      });

      it(`${name}; ${endpoint}, plain`, async () => {
        const { promise: left, resolve: goOn } = Promise.withResolvers<void>();
        lab.play([{ do: "until", promise: left }, ...writeAnswer(200, answer.plain)]);
        const call = await open(lab, endpoint, model, false);
        await eventually("the provider has the call", () => lab.openConnections() > 0);
        await leave(lab, call);
        goOn();
        const event = await lab.event();
        expect(event.status).toBe("cancelled");
        expect(billOf(event)).toEqual(whole);
      });
    }
  }
});
