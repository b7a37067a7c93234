import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { join } from "node:path";
import { jsonBody } from "../../support/clients/json-body.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { mountSmallDisk } from "../../support/processes/small-disk.ts";
import { otlpRequest, otlpSpan } from "./otlp-span.ts";

const plain = { model: "gpt-4o-mini", input_tokens: 10, output_tokens: 1 };

describe("an organization of the starter tier", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ tier: "starter" });
  });
  afterAll(async () => {
    expect(gateway.verify()).toMatchObject({ ok: true, differences: [] });
    await gateway.stop();
  });

  it("ING-010 registers agents as calls do, and rejects only events of agents beyond the tier's limit", async () => {
    const events = ["a", "b", "c", "d", "a"].map(agent_key => ({ ...plain, agent_key }));
    expect(await jsonBody(await gateway.post("/v1/events", { events }))).toEqual({
      accepted: 4,
      duplicates: 0,
      rejected: [{ index: 3, error: "the starter tier includes 3 agents, and all are in use" }],
    });
    expect(
      gateway.reader
        .agents()
        .map(({ agent_key }) => agent_key)
        .sort(),
    ).toEqual(["a", "b", "c"]);
    const span = otlpSpan({ model: "gpt-4o-mini", input_tokens: 1, agent_id: "d" });
    expect(await jsonBody(await gateway.post("/v1/traces", otlpRequest(span)))).toEqual({
      partialSuccess: {
        rejectedSpans: "1",
        errorMessage: "the starter tier includes 3 agents, and all are in use",
      },
    });
  });

  it("ING-010 counts ingested events toward the month, but not toward the burst limit", async () => {
    for (let batch = 0; batch < 10; batch++) {
      const events = Array.from({ length: 1000 }, () => ({ ...plain, agent_key: "a" }));
      const answer = await gateway.post("/v1/events", { events });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("ratelimit-remaining")).toBe("10");
    }
    for (const [path, body] of [
      ["/v1/events", { events: [plain] }],
      ["/v1/traces", otlpRequest()],
    ] as const) {
      const full = await gateway.post(path, body);
      expect(full.status).toBe(429);
      expect(await jsonBody(full)).toMatchObject({
        error: expect.stringContaining("monthly limit"),
        limit: 10_000,
        current: 10_004,
        reset_at: expect.any(String),
        retry_after: expect.any(Number),
      });
      expect(full.headers.get("retry-after")).toMatch(/^\d+$/);
    }
    const call = await gateway.post("/v1/chat/completions", { model: "gpt-4o-mini", messages: [] });
    expect(call.status).toBe(429);
    const test = await gateway.post(
      "/v1/events",
      { events: [plain] },
      { authorization: `Bearer ${gateway.testKey}` },
    );
    expect(await jsonBody(test)).toMatchObject({ accepted: 1 });
  });
});

it("ING-010 counts events of another month in that month only", async () => {
  const gateway = await startTestGateway({ tier: "starter", now: () => Date.UTC(2026, 10, 15) });
  try {
    const last = { ...plain, timestamp: "2026-10-31T23:59:59Z" };
    await gateway.post("/v1/events", { events: [last, last, plain] });
    expect(gateway.reader.monthlyCalls().map(({ month, calls }) => [month, calls])).toEqual([
      ["2026-10", 2],
      ["2026-11", 1],
    ]);
  } finally {
    await gateway.stop();
  }
});

it("answers 503 while the disk is full, so that senders retry, and nothing is lost or counted twice", async () => {
  const disk = mountSmallDisk(4);
  if ("impossible" in disk) {
    // Not silently skipped: in CI, a check that could not run is a failure.
    if (process.env.CI) throw new Error(disk.impossible);
    console.warn(`not checked: ${disk.impossible}`);
    return;
  }
  const gateway = await startTestGateway({ dataDir: disk.path, tier: "starter" });
  try {
    const requests = [
      ["/v1/events", { events: [{ ...plain, id: "one", agent_key: "events" }] }],
      ["/v1/traces", otlpRequest(otlpSpan({ model: "gpt-4o-mini", input_tokens: 1, agent_id: "traces" }))],
    ] as const;
    disk.fill();
    for (const [path, body] of requests) expect((await gateway.post(path, body)).status).toBe(503);
    expect(gateway.reader.agents()).toEqual([]);
    disk.free();
    for (const [path, body] of requests) expect((await gateway.post(path, body)).status).toBe(200);
    expect(gateway.events()).toHaveLength(2);
    expect(gateway.reader.agents()).toHaveLength(2);
    expect(gateway.verify()).toMatchObject({ ok: true, differences: [] });
  } finally {
    await gateway.stop();
    disk.remove();
  }
});

it("ING-002 records on the second attempt what could not be written on the first, and no request waits forever", async () => {
  const gateway = await startTestGateway({ tier: "starter" });
  const ledger = new Database(join(gateway.dataDir, "ledger.db"));
  try {
    const body = { events: [{ ...plain, id: "again", agent_key: "late" }] };
    ledger.run("CREATE TRIGGER refuse BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'refused'); END");
    const refused = await Promise.all(Array.from({ length: 4 }, () => gateway.post("/v1/events", body)));
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    ledger.run("DROP TRIGGER refuse");
    const answers = await Promise.all(Array.from({ length: 4 }, () => gateway.post("/v1/events", body)));
    const bodies = await Promise.all(answers.map(jsonBody));
    expect(bodies.map(({ accepted }) => accepted).sort()).toEqual([0, 0, 0, 1]);
    expect(gateway.events()).toHaveLength(1);
    expect(gateway.verify()).toMatchObject({ ok: true, differences: [] });
  } finally {
    ledger.close();
    await gateway.stop();
  }
});

it("records calls whose costs exceed an exact sum, and reports the largest possible value", async () => {
  const gateway = await startTestGateway();
  try {
    // $750,000 each: counts are trusted up to a billion.
    const dear = { model: "o1-pro", input_tokens: 1_000_000_000, output_tokens: 1_000_000_000 };
    const spans = Array.from({ length: 1300 }, () => otlpSpan(dear));
    const answer = await gateway.post("/v1/traces", otlpRequest(...spans));
    expect(await jsonBody(answer)).toEqual({});
    expect(answer.headers.get("x-gateway-cost")).toBe(String(Number.MAX_SAFE_INTEGER));
    expect(gateway.events()).toHaveLength(1300);
    expect((await gateway.post("/v1/events", { events: [plain] })).status).toBe(200);
  } finally {
    await gateway.stop();
  }
});
