import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { callEndpoints } from "../../support/clients/call-endpoints.ts";
import { jsonBody } from "../../support/clients/json-body.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ tier: "starter" });
});
afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(gateway.url + path, { headers });

describe("GET /health", () => {
  it("GW-001 answers without a key: status, time and version 1.0.0", async () => {
    const answer = await get("/health");
    const body = await jsonBody(answer);
    expect(answer.status).toBe(200);
    expect(body).toEqual({ status: "ok", timestamp: body.timestamp, version: "1.0.0" });
    expect(new Date(String(body.timestamp)).toISOString()).toBe(String(body.timestamp));
  });
});

describe("GET /metrics", () => {
  it("OPS-015 answers from loopback without a key, in Prometheus' text format", async () => {
    const answer = await get("/metrics");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
    expect(await answer.text()).toContain("# TYPE svc_gateway_calls_total counter");
  });

  it("GW-038 counts rejected calls by status and code; none is an event or reaches a provider", async () => {
    const { path, body } = callEndpoints[0];
    const rejected = async () =>
      Object.fromEntries(
        [
          ...(await (await get("/metrics")).text()).matchAll(
            /rejected_total\{status="(\d+)",code="(\w+)"\} (\d+)/g,
          ),
        ].map(([, status, code, count]) => [`${status} ${code}`, Number(count)]),
      );
    const before = await rejected();
    await gateway.post(path, body, { authorization: "Bearer sk_live_unknown" });
    await gateway.post(path, body, { authorization: "" });
    await gateway.post(path, "{");
    await gateway.post(path, "x".repeat(10_485_761));
    const { id } = await gateway.store.createOrganization("suspended", "pro", 0);
    await gateway.store.updateOrganization(id, { status: "suspended" });
    const { key } = await gateway.store.createKey(id, "live", "write", 0);
    await gateway.post(path, body, { authorization: `Bearer ${key}` });
    const after = await rejected();
    const grown = Object.fromEntries(
      Object.entries(after)
        .map(([key, count]) => [key, count - (before[key] ?? 0)] as const)
        .filter(([, n]) => n > 0),
    );
    expect(grown).toEqual({
      "401 invalid_api_key": 1,
      "401 missing_api_key": 1,
      "400 invalid_json": 1,
      "413 payload_too_large": 1,
      "403 organization_inactive": 1,
    });
    expect(gateway.events()).toEqual([]);
    expect(gateway.reader.openIntents()).toBe(0);
  });
});

describe("unknown paths", () => {
  const notFound = { error: "no such endpoint" };
  for (const [method, path] of [
    ["GET", "/"],
    ["GET", "/v1"],
    ["POST", "/v1/completions"],
    ["GET", "/v1/chat/completions"],
    ["PUT", "/v1/messages"],
    ["DELETE", "/v1/embeddings"],
    ["PATCH", "/v1/responses"],
    ["POST", "/health"],
    ["POST", "/v1/models"],
    ["OPTIONS", "/v1/chat/completions"],
    ["GET", "/v1/messages/count_tokens"],
    ["GET", "/.env"],
    ["GET", "/v1/../etc/passwd"],
  ] as const) {
    it(`GW-025 GW-046 answers 404 with an error: ${method} ${path}`, async () => {
      const answer = await fetch(gateway.url + path, { method });
      expect([answer.status, await answer.json()]).toEqual([404, notFound]);
      expect(answer.headers.get("x-gateway-error-source")).toBeNull();
    });
  }

  for (const path of [
    "/v1/models/no-such-model",
    "/v1/models/%E0%A4%A",
    "/v1/models/%00",
    "/v1/models/constructor",
  ]) {
    it(`GW-025 answers 404 to an unknown model: ${path}`, async () => {
      const answer = await get(path, gateway.headers());
      expect([answer.status, await answer.json()]).toEqual([404, { error: "no such model" }]);
    });
  }

  it("AUTH-001 GW-032 requires a valid key before it reveals whether a model exists", async () => {
    for (const path of ["/v1/models", "/v1/models/gpt-4o-mini", "/v1/models/no-such-model"]) {
      for (const headers of [{}, { authorization: "Bearer sk_live_wrong" }] as Record<string, string>[]) {
        const answer = await get(path, headers);
        expect([answer.status, await answer.json()]).toEqual([
          401,
          { error: expect.stringMatching(/API key/) },
        ]);
      }
    }
  });
});
