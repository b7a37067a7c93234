import { afterAll, afterEach, describe, expect, it, spyOn } from "bun:test";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { startVerificationLab } from "../../support/labs/verification-lab.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const chunk = (choice: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt-4o",
    choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
    ...more,
  })}\n\n`;
/** A whole streamed answer. */
const STREAM = [
  chunk({ delta: { role: "assistant", content: "Tides." } }),
  chunk({ finish_reason: "stop" }, { usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } }),
  "data: [DONE]\n\n",
].join("");

type Lab = Awaited<ReturnType<typeof startVerificationLab>>;
const labs: Lab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.stop();
});
afterAll(async () => {
  for (const lab of labs) await lab.stop();
});

async function open(
  ...[change, options]: [Parameters<Lab["begin"]>[0]?, Parameters<typeof startVerificationLab>[0]?]
) {
  const lab = await startVerificationLab(options);
  labs.push(lab);
  await lab.begin(change);
  return lab;
}

/** A prompt that is drawn for a pair, not for a control, which one in ten is. */
async function gradeOne(lab: Lab, prompt: string, more: Parameters<Lab["call"]>[1] = {}) {
  for (;;) {
    const before = lab.results().length;
    await lab.call(prompt, more);
    await lab.graded(before + 1);
    const last = lab.results().at(-1);
    if (last?.kind === "candidate") return last;
  }
}

/** What a gateway's server calls for a chat completion. */
function chatHandlerOf(options: unknown): (request: Request) => Promise<Response> {
  const { routes } = options as {
    readonly routes: Record<string, { readonly POST: (request: Request) => Promise<Response> }>;
  };
  const route = routes["/v1/chat/completions"];
  if (route === undefined) throw new Error("there is no such route");
  return route.POST;
}

describe("pairs of a verification", () => {
  it("LOOP-030 are the sampled call, the second answer and two judgements, each one event, linked by the pair", async () => {
    const lab = await open();
    const { pair_id } = await gradeOne(lab, "Explain tides.");
    const events = lab.gateway.events().filter(({ id, pair }) => id === pair_id || pair?.pair_id === pair_id);
    expect(
      events.map(({ source, model, agent_key, key_id, session_id, pair }) => ({
        source,
        model,
        agent_key,
        hasKey: key_id !== null,
        session_id,
        request: pair?.request_id,
        result: pair?.result,
      })),
    ).toEqual([
      {
        source: "gateway",
        model: "gpt-4o",
        agent_key: "support",
        hasKey: true,
        session_id: null,
        request: undefined,
        result: undefined,
      },
      ...(["shadow", "judge", "judge"] as const).map((source, position) => ({
        source,
        model: source === "shadow" ? "gpt-4o-mini" : "gpt-4.1",
        agent_key: "support",
        hasKey: false,
        session_id: null,
        request: lab.requestId,
        result: position === 2 ? { score: 0, grader: "judge", category: "open_ended" as const } : null,
      })),
    ]);
    expect(events.every(({ cost_microcents }) => cost_microcents > 0)).toBe(true);
    expect(lab.gateway.verify()).toMatchObject({ ok: true });
  });

  it("are also made from streamed calls, and in every conversation dialect", async () => {
    const lab = await open();
    expect(await gradeOne(lab, "Explain tides.", { stream: true })).toMatchObject({
      score: 0,
      grader: "judge",
    });
    const before = lab.results().length;
    for (const stream of [false, true]) {
      const response = await fetch(`${lab.gateway.url}/v1/responses`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${lab.gateway.testKey}`,
          "x-provider-key": "sk-provider",
          "content-type": "application/json",
        },
        body: JSON.stringify({ model: "gpt-4o", input: "Explain tides.", stream }),
      });
      await response.text();
    }
    await lab.graded(before + 2);
    expect(
      lab
        .results()
        .slice(before)
        .every(({ grader }) => grader !== "failure"),
    ).toBe(true);
  });

  it("compare models of two providers if the call has both keys, and nothing otherwise", async () => {
    const lab = await open({
      prod_provider: "anthropic",
      prod_model: "claude-sonnet-4-5",
      candidate_provider: "openai",
      candidate_model: "gpt-4o-mini",
      judge_provider: "anthropic",
      judge_model: "claude-opus-4-5",
    });
    const message = async (headers: Record<string, string>) => {
      const response = await fetch(`${lab.gateway.url}/v1/messages`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${lab.gateway.testKey}`,
          "x-provider-key": "sk-anthropic",
          "content-type": "application/json",
          ...headers,
        },
        body: JSON.stringify({
          model: "claude-sonnet-4-5",
          max_tokens: 200,
          messages: [{ role: "user", content: "Explain tides." }],
        }),
      });
      expect(response.status).toBe(200);
      await response.text();
    };
    for (let calls = 0; calls < 20; calls++) await message({});
    await message({ "x-provider-key-openai": "sk-openai" });
    await lab.graded(1);
    const candidates = lab.results().filter(({ kind }) => kind === "candidate");
    expect(candidates.length).toBeLessThanOrEqual(1);
    expect(lab.results().every(({ grader }) => grader === "judge" || grader === "equality")).toBe(true);
  });

  it("detect a worse answer, and record it with every judgement", async () => {
    const lab = await open();
    expect(await gradeOne(lab, "Explain tides. tollgate:poor=gpt-4o-mini:100")).toMatchObject({
      score: -1,
      grader: "judge",
    });
  });

  it("need no judge for answers that are equal, invalid or missing", async () => {
    const lab = await open();
    const schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
    const response_format = { type: "json_schema", json_schema: { name: "a", strict: false, schema } };
    expect(await gradeOne(lab, "Explain tides.", { response_format })).toMatchObject({
      score: 0,
      grader: "equality",
      category: "structured",
    });
    expect(lab.ofVerification().filter(({ source }) => source === "judge")).toEqual([]);
  });

  it("are sampled only from calls that can be repeated without side effects", async () => {
    const lab = await open();
    const search = { tools: [{ type: "web_search" }] };
    await lab.call("Explain tides.", { n: 2 });
    await lab.call("Explain tides.", { modalities: ["text", "audio"], audio: { voice: "a", format: "mp3" } });
    await lab.call("Explain tides.", { model: "gpt-4.1-mini" });
    await lab.call("x".repeat(300_000));
    const response = await fetch(`${lab.gateway.url}/v1/responses`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${lab.gateway.testKey}`,
        "x-provider-key": "sk-provider",
        "content-type": "application/json",
      },
      body: JSON.stringify({ model: "gpt-4o", input: "Explain tides.", ...search }),
    });
    await response.text();
    // A sampled one comes last: everything before it would have been sampled by then.
    await gradeOne(lab, "Explain tides.");
    const pairs = new Set(lab.ofVerification().map(({ pair }) => pair?.pair_id));
    const sampled = lab.gateway.events().filter(({ id }) => pairs.has(id));
    expect(
      sampled.every(({ model, endpoint }) => model === "gpt-4o" && endpoint === "/v1/chat/completions"),
    ).toBe(true);
    expect(pairs.size).toBe(lab.results().length);
  });

  it("LOOP-030 never cost more than their verification may spend, however many concurrent calls there are", async () => {
    const lab = await open({ max_spend_microcents: 3_000_000 });
    for (let round = 0; round < 12; round++) {
      await Promise.all(Array.from({ length: 8 }, (_, call) => lab.call(`Explain tides ${round} ${call}.`)));
    }
    await eventually("no pair is under way", async () => {
      const metrics = await (await fetch(`${lab.gateway.url}/metrics`)).text();
      return /^svc_gateway_in_flight 0$/m.test(metrics);
    });
    const spent = lab.ofVerification().reduce((sum, { cost_microcents }) => sum + cost_microcents, 0);
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThanOrEqual(3_000_000);
  });

  it("LOOP-030 are refused if a budget of the organization is spent, and do not delay the client's call", async () => {
    const lab = await open();
    await gradeOne(lab, "Explain tides.");
    const before = lab.ofVerification().length;
    await lab.database.db
      .insertInto("budgets")
      .values({
        id: crypto.randomUUID(),
        org_id: lab.gateway.orgId,
        mode: "test",
        agent_id: "support",
        agent_key: "support",
        period: "daily",
        limit_microcents: 1,
        warning_pct: 80,
        enforcement_mode: "hard_block",
        strict: 0,
        allow_unpriced: 0,
        status: "active",
        since: 0,
        created_at: 0,
        updated_at: 0,
      })
      .execute();
    await eventually(
      "the agent's calls are refused",
      async () => (await lab.call("Again.")).response.status === 429,
    );
    expect(lab.ofVerification().length - before).toBeLessThanOrEqual(3 * 4);
  });

  it("give their slot back if the client of a stream leaves while its event is written", async () => {
    const provider = serveProvider("openai", {
      async answer(request) {
        const { stream } = (await request.json()) as { stream?: boolean };
        if (stream !== true) return undefined;
        // In one piece: the call has settled by the time that its first frame would be sent.
        return new Response(STREAM, { headers: { "content-type": "text/event-stream" } });
      },
    });
    const serve = spyOn(Bun, "serve");
    const lab = await open({ mode: "live" }, { baseUrls: { openai: provider.url } });
    const handle = chatHandlerOf(serve.mock.calls.at(-1)?.[0]);
    serve.mockRestore();
    const sampled = async () => {
      const before = lab.ofVerification().length;
      await eventually("a call is sampled", async () => {
        await lab.call("Explain tides.", { key: lab.gateway.liveKey });
        return lab.ofVerification().length > before;
      });
    };
    await sampled();

    let leaving = new AbortController();
    const settle = Ledger.prototype.settle;
    const settling = spyOn(Ledger.prototype, "settle").mockImplementation(function (this: Ledger, ...args) {
      const settled = settle.apply(this, args);
      leaving.abort();
      return settled;
    });
    // Twice as many as there are slots. There is no server here that would cancel an answer that nobody reads.
    for (let call = 0; call < 8; call++) {
      leaving = new AbortController();
      const messages = [{ role: "user", content: `Stream ${call}.` }];
      await handle(
        new Request(`${lab.gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: lab.gateway.headers(),
          body: JSON.stringify({ model: "gpt-4o", stream: true, messages }),
          signal: leaving.signal,
        }),
      );
    }
    settling.mockRestore();
    await sampled();
    await provider.stop();
  });

  it("do not count toward the organization's limits", async () => {
    const lab = await open({}, { tier: "starter" });
    await gradeOne(lab, "Explain tides.");
    const clients = lab.gateway.events().filter(({ pair }) => pair === null).length;
    const { response } = await lab.call("Explain tides.");
    expect(Number(response.headers.get("ratelimit-remaining"))).toBeGreaterThanOrEqual(10 - clients - 1);
  });

  it("LOOP-031 change neither bytes, headers nor cost of the client's call, streamed or not, even if the second model never answers", async () => {
    const answer = (model: string) => ({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model,
      choices: [{ index: 0, message: { role: "assistant", content: "Tides." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    });
    const asked: string[] = [];
    const provider = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { model, stream } = (await request.json()) as { model: string; stream?: boolean };
        asked.push(model);
        if (model === "gpt-4o-mini") await new Promise(() => {});
        if (stream === true) {
          return new Response(STREAM, { headers: { "content-type": "text/event-stream" } });
        }
        return Response.json(answer(model));
      },
    });
    const lab = await startVerificationLab({ baseUrls: { openai: `http://127.0.0.1:${provider.port}` } });
    labs.push(lab);
    // Differ from call to call, sampled or not.
    const varying = /^(date|x-gateway-event-id|x-gateway-latency|ratelimit)/;
    const make = async (stream: boolean) => {
      const { response, text } = await lab.call("Explain tides.", { key: lab.gateway.liveKey, stream });
      return { text, headers: [...response.headers].filter(([name]) => !varying.test(name)) };
    };
    const unsampled = [await make(false), await make(true)];
    await lab.begin({ mode: "live" });
    for (const [index, stream] of [false, true].entries()) {
      const before = asked.filter(model => model === "gpt-4o-mini").length;
      await eventually("a call was sampled", async () => {
        expect(await make(stream)).toEqual(unsampled[index] as Awaited<ReturnType<typeof make>>);
        return asked.filter(model => model === "gpt-4o-mini").length > before;
      });
    }
    const costs = lab.gateway
      .events()
      .flatMap(({ pair, cost_microcents }) => (pair === null ? [cost_microcents] : []));
    expect(costs.length).toBeGreaterThanOrEqual(4);
    expect(new Set(costs).size).toBe(1);
    await lab.gateway.stop("keep files");
    await provider.stop(true);
    const { LedgerReader } = await import("@tollgate/storage/ledger/ledger-reader");
    const reader = new LedgerReader(`${lab.gateway.dataDir}/ledger.db`);
    const shadows = reader
      .after(0, 1000)
      .flatMap(({ event }) => (event.model === "gpt-4o-mini" ? [event] : []));
    reader.close();
    expect(shadows.length).toBeGreaterThan(0);
    for (const event of shadows) {
      expect(event).toMatchObject({ source: "shadow", status: "interrupted", pair: { result: null } });
    }
  });
});
