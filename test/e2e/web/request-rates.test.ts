import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { jsonBody } from "../../support/clients/json-body.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

const PER_MINUTE = 5;

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab(undefined, undefined, { requestsPerMinute: PER_MINUTE });
});
afterAll(() => lab.stop());

const statuses = async (requests: number, send: () => Promise<Response>) => {
  const answers = [];
  for (let sent = 0; sent < requests; sent++) answers.push((await send()).status);
  return answers;
};

const allowed = (status: number) => Array<number>(PER_MINUTE).fill(status);

describe("the rate of requests to the web API", () => {
  it("SEC-011 limits the requests of each credential within any minute, independently", async () => {
    const [one, other] = [await lab.organization(), await lab.organization()];
    const budgets = (key: string) => () => lab.send("/api/budgets", { key });
    expect(await statuses(PER_MINUTE + 2, budgets(one.liveKey))).toEqual([...allowed(200), 429, 429]);
    expect(await statuses(1, budgets(one.readKey))).toEqual([200]);
    expect(await statuses(1, budgets(other.liveKey))).toEqual([200]);

    const refused = await lab.send("/api/agents", { key: one.liveKey });
    expect(await jsonBody(refused)).toEqual({
      error: `rate limit of ${PER_MINUTE} requests a minute exceeded`,
      limit: PER_MINUTE,
      current: PER_MINUTE,
      reset_at: new Date(lab.clock.now() + 60_000).toISOString(),
      retry_after: 60,
    });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(refused.headers.get("ratelimit-limit")).toBe(String(PER_MINUTE));
    expect(refused.headers.get("ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("ratelimit-reset")).toBe("60");

    lab.clock.advance(60_000);
    expect(await statuses(1, budgets(one.liveKey))).toEqual([200]);
  });

  it("SEC-011 counts a person's requests over all of their sessions", async () => {
    const { id } = await lab.organization();
    const browser = await lab.member(id, "viewer");
    const account = () => browser.send(`${lab.url}/api/account`);
    expect(await statuses(PER_MINUTE + 1, account)).toEqual([...allowed(200), 429]);
  });

  it("SEC-011 counts requests to the tool endpoint with the key's other requests", async () => {
    const { liveKey } = await lab.organization();
    const list = () =>
      lab.send("/mcp", {
        key: liveKey,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
    await statuses(PER_MINUTE, () => lab.send("/api/budgets", { key: liveKey }));
    expect((await list()).status).toBe(429);
    lab.clock.advance(60_000);
    expect(await statuses(PER_MINUTE + 1, list)).toEqual([...allowed(200), 429]);
  });

  it("SEC-011 counts requests without a valid credential by client address", async () => {
    const { liveKey } = await lab.organization();
    const stranger = () => lab.send("/api/budgets", { key: "sk_live_guessed" });
    expect(await statuses(PER_MINUTE + 1, stranger)).toEqual([...allowed(401), 429]);
    expect((await lab.send("/api/budgets")).status).toBe(429);
    expect((await lab.send("/api/openapi.json")).status).toBe(429);
    // A request with a credential is not limited by others from the same address.
    expect((await lab.send("/api/budgets", { key: liveKey })).status).toBe(200);
  });

  it("never refuses a health check", async () => {
    const health = () => lab.send("/api/health");
    expect(await statuses(PER_MINUTE + 1, health)).toEqual([...allowed(200), 200]);
  });
});
