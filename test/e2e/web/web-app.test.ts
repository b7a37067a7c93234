import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import { jsonBody } from "../../support/clients/json-body.ts";
import { expectIsoTimes } from "../../support/expect-iso-times.ts";
import { type ControlLab, NOON, startControlLab } from "../../support/labs/control-lab.ts";
import { fillOrganization } from "../../support/labs/fill-organization.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

describe("the web application", () => {
  it("WEB-001 reports its health without a credential", async () => {
    lab.clock.advance(4500);
    const answer = await lab.send("/api/health");
    lab.clock.set(NOON);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      status: "ok",
      timestamp: "2026-11-15T12:00:04.500Z",
      version: "0.1.0",
      uptime: 4,
      services: { database: "ok", cache: "disabled" },
    });
  });

  it("GW-025 answers 404 with `error` to any path and method under /api that does not exist", async () => {
    const { liveKey } = await lab.organization();
    for (const [method, path] of [
      ["GET", "/api"],
      ["GET", "/api/"],
      ["GET", "/api/nothing"],
      ["GET", "/api/agents/"],
      ["PUT", "/api/agents"],
      ["DELETE", "/api/health"],
      ["GET", "/api/budgets/status/x"],
      ["GET", "/nothing"],
      ["GET", "/api/agents/%E0%A4%A"],
      ["GET", "/api/agents/%FF"],
      ["GET", "/api/agents/..%2F..%2Fetc"],
    ] as const) {
      const answer = await lab.send(path, { method, key: liveKey });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toEqual({ error: expect.any(String) });
    }
  });

  it("WEB-014 accepts a body of 10,485,760 bytes and answers 413 above, with and without Content-Length", async () => {
    const { liveKey } = await lab.organization();
    const fits = JSON.stringify({ name: "x" }).padEnd(10_485_760);
    const send = (path: string, method: string, body: string | ReadableStream) =>
      lab.send(path, { key: liveKey, method, body });
    expect((await send("/api/outcomes", "POST", fits)).status).toBe(201);
    for (const operation of Object.values<AnyOperation>(operations)) {
      if (operation.method === "GET" || operation.scope === null) continue;
      const path = operation.path.replace(/:\w+/g, "nowhere");
      const answer = await send(path, operation.method, `${fits} `);
      expect([operation.id, answer.status]).toEqual([operation.id, 413]);
      expect(await answer.json()).toEqual({ error: expect.any(String) });
    }
    const chunk = new Uint8Array(1_048_576).fill(0x20);
    const unmeasured = new ReadableStream({
      start(controller) {
        for (let count = 0; count < 11; count++) controller.enqueue(chunk);
        controller.close();
      },
    });
    expect((await send("/api/outcomes", "POST", unmeasured)).status).toBe(413);
  });

  it("rejects a compressed body", async () => {
    const { liveKey } = await lab.organization();
    const answer = await lab.send("/api/outcomes", {
      key: liveKey,
      method: "POST",
      headers: { "content-encoding": "gzip" },
      body: Bun.gzipSync(JSON.stringify({ name: "x" })),
    });
    expect(answer.status).toBe(400);
  });

  it("sends the security headers with every answer, and allows no inline script in a page", async () => {
    const { liveKey } = await lab.organization();
    for (const path of ["/api/agents", "/api/health", "/docs", "/nothing", "/api/openapi.json"]) {
      const { headers } = await lab.send(path, { key: liveKey });
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      if (path.startsWith("/api/")) expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  it("WEB-013 serves an API documentation page without external resources", async () => {
    const page = await (await lab.send("/docs")).text();
    const places = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, place]) => place ?? "");
    expect(places.length).toBe(3);
    for (const place of places) {
      expect(place).toStartWith("/docs/");
      const answer = await lab.send(place);
      expect([place, answer.status]).toEqual([place, 200]);
      expect(answer.headers.get("content-type")).toMatch(/^text\/(javascript|css)/);
    }
    expect(page).not.toMatch(/<script>|<style|onload=/);
    expect((await lab.send("/docs/../package.json")).status).toBe(404);
    expect((await lab.send("/docs/package.json")).status).toBe(404);
  });

  it("reports requests by operation and status, and each ledger reader's position, to Prometheus", async () => {
    const fresh = await (await lab.send("/metrics")).text();
    for (const [operation, status] of [
      ["prices.overrides.set", 201],
      ["prices.overrides.set", 503],
      ["mcp", 200],
      ["webhooks.stripe", 500],
    ]) {
      expect(fresh).toContain(`svc_web_requests_total{operation="${operation}",status="${status}"} 0\n`);
    }
    const { liveKey } = await lab.organization();
    await lab.send("/api/budgets", { key: liveKey });
    const metrics = await (await lab.send("/metrics")).text();
    expect(metrics).toMatch(/^svc_web_requests_total\{operation="budgets.list",status="200"\} [1-9]/m);
    expect(metrics).toMatch(/^svc_control_follower_lag_events 0$/m);
    for (const reader of [
      "read-model",
      "profile",
      "webhooks",
      "alerts",
      "experiments",
      "optimizations",
      "live",
    ]) {
      for (const name of ["position", "lag_events", "faults_total"]) {
        expect(metrics).toMatch(
          new RegExp(`^svc_control_reader_${name}\\{reader="${reader}:events"\\} \\d+$`, "m"),
        );
      }
    }
  });

  it("SEC-009 shows metrics to a program on this machine; through a proxy or under another host name only with a key", async () => {
    const { liveKey } = await lab.organization();
    expect((await lab.send("/metrics")).status).toBe(200);
    for (const headers of [
      { "x-forwarded-for": "127.0.0.1" },
      { forwarded: "for=127.0.0.1" },
      { "x-real-ip": "127.0.0.1" },
      { host: "evil.example" },
    ]) {
      expect([headers, (await lab.send("/metrics", { headers })).status]).toEqual([headers, 401]);
      const withKey = await lab.send("/metrics", { headers, key: liveKey });
      expect([headers, withKey.status]).toEqual([headers, 200]);
    }
  });

  it("GW-045 GW-048 a session shows live traffic, and test traffic with mode=test", async () => {
    const { id, addEvents } = await lab.organization();
    await addEvents({ agent_key: "live" }, { agent_key: "tried", mode: "test" });
    const browser = await lab.member(id, "viewer");
    const keys = async (query: string) => {
      const { agents } = await jsonBody(await browser.send(`${lab.url}/api/agents${query}`));
      return (agents as { agent_key: string }[]).map(agent => agent.agent_key);
    };
    expect(await keys("")).toEqual(["live"]);
    expect(await keys("?mode=live")).toEqual(["live"]);
    expect(await keys("?mode=test")).toEqual(["tried"]);
    expect((await browser.send(`${lab.url}/api/agents?mode=all`)).status).toBe(400);
  });

  it("WEB-015 times are ISO 8601, with a session or without a credential, and in an export", async () => {
    const mine = await fillOrganization(lab);
    const browser = await lab.member(mine.id, "owner");
    const answers = {
      sessions: await browser.send(`${lab.url}/api/account/sessions`),
      health: await lab.send("/api/health"),
      export: await lab.send("/api/events/export?format=json", { key: mine.liveKey }),
    };
    for (const [where, answer] of Object.entries(answers)) {
      expect([where, answer.status]).toEqual([where, 200]);
      expect(expectIsoTimes(where, await answer.json())).toBeGreaterThan(0);
    }
    const csv = await (await lab.send("/api/events/export", { key: mine.liveKey })).text();
    const [head = "", row = ""] = csv.split("\r\n");
    const at = head.split(",").indexOf("created_at");
    expect(row.split(",")[at]?.replaceAll('"', "")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});
