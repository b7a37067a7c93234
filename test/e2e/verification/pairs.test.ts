import { describe, expect, it } from "bun:test";
import { gradeOne, noneUnderWay, pairLabs } from "../../support/labs/pair-lab.ts";

const open = pairLabs();

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
    // One in ten is a control, which needs only the key of the call's own provider.
    for (let calls = 0; calls < 60; calls++) await message({});
    await noneUnderWay(lab);
    expect(lab.results()).toEqual([]);
    await message({ "x-provider-key-openai": "sk-openai" });
    await lab.graded(1);
    expect(lab.results().every(({ grader }) => grader === "judge" || grader === "equality")).toBe(true);
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
});
