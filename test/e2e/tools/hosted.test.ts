import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { request as httpRequest } from "node:http";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
let org: Awaited<ReturnType<ControlLab["organization"]>>;
beforeAll(async () => {
  lab = await startControlLab();
  org = await lab.organization();
});
afterAll(() => lab.stop());

const accept = "application/json, text/event-stream";
const listing = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

function post(headers: Record<string, string>, body: string | ReadableStream = listing): Promise<Response> {
  return lab.send("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept, ...headers },
    body,
  });
}

const bearer = (key = org.liveKey) => ({ authorization: `Bearer ${key}` });

/** With a custom Host, which fetch would not send. */
function statusWithHost(host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = httpRequest(`${lab.url}/mcp`, {
    method: "POST",
    headers: { host, accept, "content-type": "application/json", ...bearer() },
  });
  sent.on("response", answer => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  sent.on("error", reject);
  sent.end(listing);
  return promise;
}

describe("TOOL-060 the hosted endpoint's key", () => {
  it("TOOL-004 may be sent as Bearer or as x-api-key", async () => {
    for (const headers of [
      bearer(),
      bearer(org.readKey),
      bearer(org.testKey),
      { "x-api-key": org.liveKey },
    ]) {
      const answer = await post(headers);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain("svc_get_cost_summary");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("is required: 401 with a message and WWW-Authenticate, whatever the body", async () => {
    for (const headers of [{}, { authorization: "Basic abc" }]) {
      const answer = await post(headers, "not even JSON");
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="tollgate"');
      expect(await answer.json()).toEqual({ error: expect.any(String) });
    }
    const wrong = await post(bearer("sk_live_wrong"));
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get("www-authenticate")).toBe('Bearer realm="tollgate", error="invalid_token"');
    expect(await wrong.text()).not.toContain("sk_live_wrong");
  });

  it("is not a cookie: a signed-in person has no key", async () => {
    const browser = await lab.member(org.id, "owner");
    const answer = await browser.send(`${lab.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept, origin: lab.url },
      body: listing,
    });
    expect(answer.status).toBe(401);
  });

  it("of a suspended organization is refused with 403", async () => {
    const other = await lab.organization();
    await lab.db
      .updateTable("organizations")
      .set({ status: "suspended" })
      .where("id", "=", other.id)
      .execute();
    expect((await post(bearer(other.liveKey))).status).toBe(403);
  });
});

describe("the hosted endpoint", () => {
  it("accepts only POST", async () => {
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS"]) {
      const answer = await lab.send("/mcp", { method, key: org.liveKey });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "POST"]);
    }
  });

  it("answers our own pages and programs, and rejects a page of another origin with 403", async () => {
    for (const origin of [lab.url, "http://tollgate.test", lab.url.replace("127.0.0.1", "localhost")]) {
      expect([origin, (await post({ ...bearer(), origin })).status]).toEqual([origin, 200]);
    }
    for (const origin of ["http://evil.example", "null", "http://127.0.0.1:1", "https://tollgate.test"]) {
      expect([origin, (await post({ ...bearer(), origin })).status]).toEqual([origin, 403]);
    }
    expect((await post({ ...bearer(), "sec-fetch-site": "cross-site" })).status).toBe(403);
  });

  it("rejects a foreign Host (DNS rebinding)", async () => {
    for (const [host, status] of [
      ["127.0.0.1:1", 200],
      ["localhost:3000", 200],
      ["tollgate.test", 200],
      ["[::1]:3000", 200],
      ["evil.example", 403],
      ["127.0.0.1.evil.example", 403],
      ["evil.example:3000", 403],
    ] as const) {
      expect([host, await statusWithHost(host)]).toEqual([host, status]);
    }
  });

  it("rejects a body above ten megabytes with 413, with or without Content-Length", async () => {
    const message = (bytes: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"${"x".repeat(bytes)}"}}`;
    expect((await post(bearer(), message(9_000_000))).status).toBe(200);
    const large = message(10_485_760);
    expect((await post(bearer(), large)).status).toBe(413);
    expect((await post(bearer(), new Blob([large]).stream())).status).toBe(413);
  });

  it("accepts one message per request: nothing in a list is executed, and plain curl works", async () => {
    const record = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "svc_set_budget", arguments: { period: "daily", limit_dollars: 1 } },
    };
    for (const body of [[record, record], [record]]) {
      for (const start of ["  ", "\ufeff", "\ufeff\n"]) {
        expect((await post(bearer(), start + JSON.stringify(body))).status).toBe(400);
      }
    }
    expect((await org.client.call("budgets.list")).budgets).toEqual([]);
    expect((await post({ ...bearer(), accept: "*/*" })).status).toBe(200);
  });

  it("answers an invalid message with 400, and survives", async () => {
    for (const body of ["", "{", "[]", "null", '{"jsonrpc":"2.0"}', '"x"']) {
      const { status } = await post(bearer(), body);
      expect([body, status >= 400 && status < 500]).toEqual([body, true]);
    }
    expect((await post(bearer())).status).toBe(200);
  });

  it("does not keep a stream open for changes that never happen", async () => {
    const answer = await post(
      {
        ...bearer(),
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
      },
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    );
    expect(await answer.text()).toContain("error");
  });

  it("serves concurrent callers of different organizations, each its own data", async () => {
    const orgs = await Promise.all(Array.from({ length: 5 }, () => lab.organization()));
    await Promise.all(
      orgs.map(({ addEvents }, index) => addEvents(...Array.from({ length: index + 1 }, () => ({})))),
    );
    lab.clock.advance(1);
    const call = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "svc_get_cost_summary", arguments: {} },
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post(bearer(orgs[index % 5]?.liveKey), call).then(one => one.text()),
      ),
    );
    for (const [index, text] of answers.entries()) {
      expect(text).toContain(`"total_calls":${(index % 5) + 1},`);
    }
  });
});
