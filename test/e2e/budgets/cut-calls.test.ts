import { afterEach, describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { openRawCall } from "../../support/clients/raw-call.ts";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import type { TestGatewayOptions } from "../../support/labs/test-gateway.ts";
import { budgetRow } from "../../support/rows/budget-row.ts";
import { writeChunk, writeChunkedHead, writeLastChunk } from "../../support/servers/http-bytes.ts";
import type { Step } from "../../support/servers/scripted-server.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { chat, chunk, done, role, says, stop, used } from "./streamed-chat.ts";

const PATH = "/v1/chat/completions";
const hang: Step = { do: "hang" };

let lab: FaultLab;
let uptimeMs = 0;
afterEach(() => lab.stop());

async function start(options: TestGatewayOptions = {}): Promise<void> {
  uptimeMs = 0;
  lab = await startFaultLab({ uptimeMs: () => uptimeMs, ...options });
}

const open = (body: string) => openRawCall(lab.gateway.url, PATH, lab.gateway.headers(), body);

const isWithProvider = (count = 1) =>
  eventually("the provider has the call", () => lab.upstream.connections.length >= count);

async function leaveAfter(steps: Step[], body: string, seen: string | null, elapsedMs = 0): Promise<Event> {
  lab.play([...steps, hang]);
  const calls = lab.upstream.connections.length;
  const call = await open(body);
  if (seen === null) await isWithProvider(calls + 1);
  else await call.until(seen);
  uptimeMs += elapsedMs;
  call.leave();
  return await lab.event();
}

describe("a call that was sent is never free", () => {
  const long = "x".repeat(1_000_000);
  const promptCost = 250_000 * 25; // four bytes per token, gpt-4o at $2.50 per million

  it.each([
    ["before the provider's head", [], null],
    ["after the head and an empty delta", [writeChunkedHead(), writeChunk(role)], '"role"'],
  ] as const)("MON-018 a prompt of 1 MB is billed when its client leaves %s", async (_, steps, seen) => {
    await start();
    const event = await leaveAfter([...steps], chat("gpt-4o", {}, long), seen);
    expect(event).toMatchObject({ status: "cancelled", usage_source: "estimated", cost_basis: "estimated" });
    expect(event.cost_microcents).toBeWithin(promptCost, promptCost + 1000);
  });

  it("MON-018 nothing is billed for a client that left before its call was sent", async () => {
    await start();
    const id = crypto.randomUUID();
    const row = budgetRow(lab.gateway.orgId, { id, limit: 100_000 }, Date.now() - 1000);
    await lab.gateway.store.database.db.insertInto("budgets").values(row).execute();
    // The first call takes all headroom, so the second one waits for admission.
    lab.play([hang]);
    const first = await open(chat("gpt-4o", { max_tokens: 10_000 }));
    await isWithProvider();
    const second = await open(chat("gpt-4o", { max_tokens: 10_000 }));
    second.leave();
    await eventually("it is gone", () => second.isClosed);
    first.leave();
    await lab.event();
    expect(lab.upstream.connections).toHaveLength(1);
  });

  it.each(["max_tokens", "max_completion_tokens"])(
    "MON-018 visible text is estimated at no more than %s",
    async limit => {
      await start();
      const text = [writeChunkedHead(), writeChunk(role), writeChunk(says("x".repeat(400)))];
      const event = await leaveAfter(text, chat("gpt-4o", { [limit]: 20 }), "xxx");
      expect(event).toMatchObject({ usage_source: "estimated", output_tokens: 20 });
      expect((await leaveAfter(text, chat("gpt-4o"), "xxx")).output_tokens).toBe(100);
    },
  );

  it("MON-019 hidden reasoning is estimated from the elapsed time, and limited by the call", async () => {
    await start();
    const text = [writeChunkedHead(), writeChunk(role), writeChunk(says("Hi there"))];
    const cautious = await leaveAfter(text, chat("o3"), "Hi there", 30_000);
    // 200 tokens per second for an unknown model; "Hi there" is two of them.
    expect(cautious.usage).toMatchObject({ output: 2, reasoning: 5998 });
    expect(cautious.cost_basis).toBe("estimated");

    const bounded = await leaveAfter(text, chat("o3", { max_completion_tokens: 700 }), "Hi there", 30_000);
    expect(bounded.output_tokens).toBe(700);
    const early = await leaveAfter(text, chat("o3"), "Hi there");
    expect(early.usage.reasoning).toBeUndefined();

    lab.play(() => {
      uptimeMs += 10_000;
      return [
        writeChunkedHead(),
        writeChunk(says("Hi")),
        writeChunk(stop),
        writeChunk(used(800)),
        writeChunk(done),
        writeLastChunk,
      ];
    });
    await (await lab.gateway.post(PATH, chat("o3"))).text();
    expect(await lab.event()).toMatchObject({ status: "success", output_tokens: 800, latency_ms: 10_000 });
    const learned = await leaveAfter(text, chat("o3"), "Hi there", 30_000);
    expect(learned.output_tokens).toBe(30 * 170);
    const twice = await leaveAfter(text, chat("o3", { n: 2 }), "Hi there", 30_000);
    expect(twice.output_tokens).toBe(2 * 30 * 170);
  });

  it("MON-019 a model that does not think has no hidden output in a stream", async () => {
    await start();
    const text = [writeChunkedHead(), writeChunk(role), writeChunk(says("Hi there"))];
    const event = await leaveAfter(text, chat("gpt-4o"), "Hi there", 30_000);
    expect(event.output_tokens).toBe(2);
  });

  it("MON-018 MON-019 a timeout is billed for its prompt and the output until then", async () => {
    await start({ providerTimeoutMs: 1000 });
    lab.play(() => {
      uptimeMs += 60_000;
      return [hang];
    });
    const answer = await lab.gateway.post(PATH, {
      model: "o3",
      max_completion_tokens: 5000,
      messages: [{ role: "user", content: "x".repeat(4000) }],
    });
    expect(answer.status).toBe(504);
    const event = await lab.event(answer);
    expect(event).toMatchObject({ status: "timeout", usage_source: "estimated", cost_basis: "estimated" });
    expect(event.usage.input).toBeGreaterThan(1000);
    expect(event.usage.reasoning).toBe(5000);
    expect(Number(answer.headers.get("x-gateway-cost"))).toBe(event.cost_microcents);
  });

  /** The provider works for 30 seconds, reports a failure in its stream, and no usage. */
  async function failAfter(text: string, error: object): Promise<Event> {
    lab.play(() => {
      uptimeMs += 30_000;
      return [
        writeChunkedHead(),
        writeChunk(`${text}data: ${JSON.stringify({ error })}\n\n`),
        writeLastChunk,
      ];
    });
    const answer = await lab.gateway.post(PATH, chat("o3", {}, "x".repeat(4000)));
    await answer.text();
    return lab.event(answer);
  }
  const broken = { type: "server_error", message: "broken" };

  it("MON-018 MON-019 a failure that the provider reports in its stream is billed as a cut", async () => {
    await start();
    for (const [text, usage] of [
      ["", { input: 1010, reasoning: 6000 }],
      [role, { input: 1010, reasoning: 6000 }],
      [says("Hi there"), { input: 1010, output: 2, reasoning: 5998 }],
    ] as const) {
      const event = await failAfter(text, broken);
      expect(event).toMatchObject({ status: "error", error_code: "server_error", cost_basis: "estimated" });
      expect(event.usage).toMatchObject({ ...usage, input: expect.any(Number) });
      expect(event.input_tokens).toBeGreaterThanOrEqual(1000);
    }
  });

  it("MON-018 a call that the provider turns down in its stream is free until it has begun", async () => {
    await start();
    const limited = { type: "tokens", code: "rate_limit_exceeded", message: "slow down" };
    expect(await failAfter(role, limited)).toMatchObject({ usage_source: "none", cost_microcents: 0 });
    const begun = await failAfter(says("Hi there"), limited);
    expect(begun).toMatchObject({ usage_source: "estimated", usage: { output: 2, reasoning: 5998 } });
  });

  it("MON-018 MON-019 a complete answer without usage is billed for the thinking that it does not show", async () => {
    await start();
    for (const model of ["o3", "gpt-4o"]) {
      lab.play(() => {
        uptimeMs += 30_000;
        return [writeChunkedHead(), ...[says("Hi there"), stop, done].map(writeChunk), writeLastChunk];
      });
      await (await lab.gateway.post(PATH, chat(model))).text();
      const event = await lab.event();
      expect(event).toMatchObject({ status: "success", usage_source: "estimated" });
      expect(event.output_tokens).toBe(model === "o3" ? 6000 : 2);
    }
  });

  it("MON-018 the search of a model that always searches is billed, even if the call is cut", async () => {
    await start();
    const model = "gpt-4o-mini-search-preview";
    const text = chunk({ model, choices: [{ index: 0, delta: { content: "Hi there" } }] });
    const event = await leaveAfter([writeChunkedHead(), writeChunk(text)], chat(model), "Hi there");
    expect(event.usage).toMatchObject({ output: 2, web_searches: 1 });
  });

  it("MON-018 a call cut before its answer reported the service tier is priced as requested", async () => {
    await start();
    const costOf = async (path: string, body: object) => {
      lab.play([hang]);
      const text = JSON.stringify({ ...body, stream: true, messages: [{ role: "user", content: "?" }] });
      const call = await openRawCall(lab.gateway.url, path, lab.gateway.headers(), text);
      await eventually("the provider has the call", () => lab.openConnections() > 0);
      call.leave();
      const event = await lab.event();
      expect(event).toMatchObject({ status: "cancelled", usage_source: "estimated", service_tier: null });
      return Number(event.cost_microcents) / event.input_tokens;
    };
    const opus = { model: "claude-opus-4-6", max_tokens: 100 };
    expect(await costOf("/v1/messages", opus)).toBe(50); // $5 a million
    expect(await costOf("/v1/messages", { ...opus, speed: "fast" })).toBe(300);
    expect(await costOf("/v1/messages", { ...opus, inference_geo: "us" })).toBeCloseTo(55, 1);
    const chat = (service_tier: string) => costOf("/v1/chat/completions", { model: "gpt-4.1", service_tier }); // $2 a million
    expect(await chat("auto")).toBe(20);
    expect(await chat("priority")).toBe(35);
    expect(await chat("flex")).toBe(10);
  });

  it("MON-018 a call cut with a file, a reference, audio or a mark for the cache is billed for what it is", async () => {
    await start();
    const leave = async (path: string, body: object, steps: Step[] = [], seen: string | null = null) => {
      lab.play([...steps, hang]);
      const text = JSON.stringify({ ...body, stream: true });
      const call = await openRawCall(lab.gateway.url, path, lab.gateway.headers(), text);
      if (seen === null) await eventually("the provider has the call", () => lab.openConnections() > 0);
      else await call.until(seen);
      call.leave();
      return (await lab.event()).usage;
    };
    const ask = (...content: object[]) => ({ messages: [{ role: "user", content }] });
    const pdf = "JVBERi0x".repeat(100_000); // 600 KB: 12 pages
    const file = { file_data: `data:application/pdf;base64,${pdf}` };
    const words = [writeChunkedHead(), writeChunk(says("Hi there"))];
    const chat = { model: "gpt-4o", ...ask({ type: "file", file }) };
    expect((await leave(PATH, chat, words, "Hi there")).input).toBeWithin(12 * 1500, 12 * 1500 + 100);

    const source = { type: "base64", media_type: "application/pdf", data: pdf };
    const claude = (part: object) => ({ model: "claude-sonnet-4-6", max_tokens: 100, ...ask(part) });
    const document = await leave("/v1/messages", claude({ type: "document", source }));
    expect(document.input).toBeWithin(12 * 3000, 12 * 3000 + 100);
    const stored = { type: "document", source: { type: "file", file_id: "file_1" } };
    expect((await leave("/v1/messages", claude(stored))).input).toBeWithin(10_000, 10_100);
    const mark = { cache_control: { type: "ephemeral" } };
    const marked = await leave("/v1/messages", claude({ type: "text", text: "x".repeat(8000), ...mark }));
    expect(marked.cache_write).toBeWithin(2000, 2100);
    expect(marked.input).toBeUndefined();

    const prompt = await leave("/v1/responses", { model: "gpt-4o", prompt: { id: "pmpt_1" } });
    expect(prompt.input).toBeWithin(10_000, 10_100);

    const delta = { audio: { id: "audio_1", transcript: "Hi there", data: "A".repeat(64_000) } };
    const second = chunk({ choices: [{ index: 0, delta }] });
    const input_audio = { data: Buffer.alloc(79_998).toString("base64"), format: "mp3" };
    const spoken = await leave(
      PATH,
      {
        model: "gpt-4o-audio-preview",
        modalities: ["text", "audio"],
        audio: { voice: "alloy", format: "pcm16" },
        ...ask({ type: "input_audio", input_audio }),
      },
      [writeChunkedHead(), writeChunk(second.replace('"model":"o3",', ""))],
      "Hi there",
    );
    expect(spoken).toMatchObject({ input_audio: 100, output: 2, output_audio: 20 });
  });

  it("MON-018 searches seen in a stream are included in the estimate of a cut call", async () => {
    await start();
    const event = (type: string, fields: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
    lab.play([
      writeChunkedHead(),
      writeChunk(
        event("message_start", {
          message: {
            id: "m",
            type: "message",
            role: "assistant",
            model: "claude-sonnet-4-6",
            content: [],
            usage: { input_tokens: 2000, output_tokens: 1 },
          },
        }),
      ),
      writeChunk(
        event("content_block_start", {
          index: 0,
          content_block: { type: "server_tool_use", id: "s", name: "web_search", input: {} },
        }),
      ),
      writeChunk(event("content_block_start", { index: 1, content_block: { type: "text", text: "Found" } })),
      hang,
    ]);
    const call = await openRawCall(
      lab.gateway.url,
      "/v1/messages",
      lab.gateway.headers(),
      JSON.stringify({
        model: "claude-sonnet-4-6",
        max_tokens: 100,
        stream: true,
        messages: [{ role: "user", content: "?" }],
      }),
    );
    await call.until("Found");
    call.leave();
    const cut = await lab.event();
    // The prompt, and a second iteration that reads it again with 8,000 tokens of unseen results.
    expect(cut.usage).toEqual({ input: 12_000, output: 2, web_searches: 1 });
    expect(cut).toMatchObject({ usage_source: "estimated", cost_basis: "estimated" });
    // $3 and $15 per million, $10 per thousand searches.
    expect(Number(cut.cost_microcents)).toBe(12_000 * 30 + 2 * 150 + 100_000);
  });
});
