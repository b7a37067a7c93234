import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type Tier, tiers } from "@tollgate/core/tiers";
import { type ServedProvider, serveProvider } from "@tollgate/simulator/serve-provider";
import { callEndpoints, chat } from "../../support/call-endpoints.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { jsonBody } from "../../support/json-body.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../../support/test-gateway.ts";

let openai: ServedProvider;
let anthropic: ServedProvider;
beforeAll(() => {
  openai = serveProvider("openai", { records: false });
  anthropic = serveProvider("anthropic", { records: false });
});
afterAll(() => Promise.all([openai.stop(), anthropic.stop()]));

const START = "2026-11-15T12:00:00.000Z";

async function withGateway(
  options: TestGatewayOptions,
  work: (gateway: TestGateway, clock: ReturnType<typeof fakeClock>) => Promise<void>,
  start = START,
): Promise<void> {
  const clock = fakeClock(start);
  const baseUrls = { openai: openai.url, anthropic: anthropic.url };
  const gateway = await startTestGateway({ baseUrls, now: clock.now, ...options });
  try {
    await work(gateway, clock);
  } finally {
    await gateway.stop();
  }
}

async function fill(gateway: TestGateway, count: number): Promise<void> {
  for (let done = 0; done < count; done += 50) {
    const some = Array.from({ length: Math.min(50, count - done) }, () => gateway.post(chat.path, chat.body));
    for (const answer of await Promise.all(some)) expect(answer.status).toBe(200);
  }
}

const limitBody = (answer: Response) => jsonBody(answer);

describe("the burst limit", () => {
  it("LIM-001 LIM-006 LIM-007 starter's eleventh call within 60 s is 429 with the spec's body and headers", async () => {
    await withGateway({ tier: "starter" }, async (gateway, clock) => {
      for (let call = 0; call < 10; call++) {
        const answer = await gateway.post(chat.path, chat.body);
        expect([answer.status, answer.headers.get("ratelimit-remaining")]).toEqual([200, String(9 - call)]);
        expect([answer.headers.get("ratelimit-limit"), answer.headers.get("ratelimit-reset")]).toEqual([
          "10",
          String(60 - call),
        ]);
        clock.advance(1000);
      }
      const calls = openai.count;
      const answer = await gateway.post(chat.path, chat.body);
      expect([answer.status, await limitBody(answer)]).toEqual([
        429,
        {
          error: "rate limit of 10 calls a minute exceeded",
          limit: 10,
          current: 10,
          reset_at: "2026-11-15T12:01:00.000Z",
          retry_after: 50,
        },
      ]);
      expect(
        Object.fromEntries(
          ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "x-should-retry"].map(
            name => [name, answer.headers.get(name)],
          ),
        ),
      ).toEqual({
        "retry-after": "50",
        "ratelimit-limit": "10",
        "ratelimit-remaining": "0",
        "ratelimit-reset": "50",
        "x-should-retry": null,
      });
      expect([openai.count, gateway.events().length]).toEqual([calls, 10]);

      clock.set("2026-11-15T12:00:59.999Z");
      expect((await gateway.post(chat.path, chat.body)).status).toBe(429);
      clock.set("2026-11-15T12:01:00.000Z");
      expect((await gateway.post(chat.path, chat.body)).status).toBe(200);
      expect((await gateway.post(chat.path, chat.body)).status).toBe(429);
    });
  });

  for (const tier of ["starter", "lite", "pro"] as const satisfies readonly Tier[]) {
    const id = { starter: "LIM-001", lite: "LIM-002", pro: "LIM-003" }[tier];
    it(`${id} lets ${tiers[tier].burstPerMinute} calls in within a minute on ${tier}, and not one more`, async () => {
      await withGateway({ tier }, async gateway => {
        await fill(gateway, tiers[tier].burstPerMinute);
        expect(await limitBody(await gateway.post(chat.path, chat.body))).toMatchObject({
          limit: tiers[tier].burstPerMinute,
        });
      });
    });
  }

  it("LIM-007 a hundred calls at once on starter: exactly ten are let in", async () => {
    await withGateway({ tier: "starter" }, async gateway => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => gateway.post(chat.path, chat.body)),
      );
      expect(answers.filter(answer => answer.status === 200).length).toBe(10);
      expect(answers.filter(answer => answer.status === 429).length).toBe(90);
    });
  });

  it("LIM-007 is summed over the organization's keys and endpoints, and not over organizations", async () => {
    await withGateway({ tier: "starter" }, async (gateway, clock) => {
      const second = (await gateway.store.createKey(gateway.orgId, "live", "write", 0)).key;
      const other = await gateway.store.createOrganization("other", "starter", 0);
      const foreign = (await gateway.store.createKey(other.id, "live", "write", 0)).key;
      clock.advance(100);
      const statuses: number[] = [];
      for (let call = 0; call < 12; call++) {
        const { path, body } = callEndpoints[call % 3] ?? chat;
        const key = call % 2 === 0 ? second : gateway.liveKey;
        statuses.push((await gateway.post(path, body, { authorization: `Bearer ${key}` })).status);
      }
      expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
      expect((await gateway.post(chat.path, chat.body, { authorization: `Bearer ${foreign}` })).status).toBe(
        200,
      );
    });
  });

  it("LIM-016 counts only admitted POST calls, and says the state on every POST answer of a known caller", async () => {
    await withGateway({ tier: "starter" }, async gateway => {
      for (let time = 0; time < 15; time++) {
        await fetch(`${gateway.url}/v1/models`, { headers: gateway.headers() });
        await gateway.post(chat.path, "{");
        await gateway.post(chat.path, { ...chat.body, model: "nobody-serves-this" });
        await gateway.post(chat.path, chat.body, { "x-provider-key": "" });
      }
      const refusals = [
        await gateway.post(chat.path, "{"),
        await gateway.post(chat.path, { ...chat.body, model: "nobody-serves-this" }),
        await gateway.post(chat.path, chat.body, { "x-provider-key": "" }),
        await gateway.post(chat.path, "x".repeat(10_485_761)),
      ];
      expect(refusals.map(answer => [answer.status, answer.headers.get("ratelimit-remaining")])).toEqual([
        [400, "10"],
        [400, "10"],
        [400, "10"],
        [413, "10"],
      ]);
      const unknown = await gateway.post(chat.path, chat.body, { authorization: "Bearer sk_live_x" });
      expect(unknown.headers.get("ratelimit-limit")).toBeNull();
      await fill(gateway, 10);
    });
  });

  it("counts a call that the provider refuses, or that cannot reach it: it was admitted", async () => {
    await withGateway({ tier: "starter", baseUrls: {} }, async gateway => {
      for (let call = 0; call < 10; call++)
        expect((await gateway.post(chat.path, chat.body)).status).toBe(502);
      expect((await gateway.post(chat.path, chat.body)).status).toBe(429);
    });
  });
});

describe("custom limits", () => {
  it("LIM-005 an enterprise organization's own numbers hold, with the limit's body", async () => {
    await withGateway({ tier: "enterprise" }, async (gateway, clock) => {
      await gateway.store.updateOrganization(gateway.orgId, { burst_per_minute: 2, monthly_calls: 3 });
      await fill(gateway, 2);
      expect(await limitBody(await gateway.post(chat.path, chat.body))).toMatchObject({
        limit: 2,
        current: 2,
      });
      clock.advance(60_000);
      await fill(gateway, 1);
      expect(await limitBody(await gateway.post(chat.path, chat.body))).toMatchObject({
        error: "monthly limit of 3 calls exceeded",
        limit: 3,
        current: 3,
        reset_at: "2026-12-01T00:00:00.000Z",
      });
      await gateway.store.updateOrganization(gateway.orgId, { monthly_calls: 4 });
      clock.advance(100);
      await fill(gateway, 1);
    });
  });

  it("LIM-016 custom numbers mean nothing below enterprise", async () => {
    await withGateway({ tier: "starter" }, async gateway => {
      await gateway.store.updateOrganization(gateway.orgId, { burst_per_minute: 1, monthly_calls: 1 });
      await fill(gateway, 10);
    });
  });

  it("LIM-015 a change of tier counts at once, in both directions", async () => {
    const baseUrls = { openai: openai.url };
    let aheadMs = 0;
    const gateway = await startTestGateway({ tier: "starter", baseUrls, now: () => Date.now() + aheadMs });
    try {
      await fill(gateway, 10);
      expect((await gateway.post(chat.path, chat.body)).status).toBe(429);
      for (const [tier, status] of [
        ["lite", 200],
        ["starter", 429],
      ] as const) {
        await gateway.store.updateOrganization(gateway.orgId, { tier });
        // By the gateway's own clock: within a second.
        aheadMs += 999;
        expect((await gateway.post(chat.path, chat.body)).status).toBe(status);
      }
    } finally {
      await gateway.stop();
    }
  });
});
