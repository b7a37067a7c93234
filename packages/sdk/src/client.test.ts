import { describe, expect, it } from "bun:test";
import { createClient } from "./client.ts";
import { ClientError } from "./client-error.ts";

function clientWith(answers: (() => Response)[]) {
  const sent: Request[] = [];
  const client = createClient({
    baseUrl: "http://example.org/under/",
    apiKey: "sk_test_x",
    fetch: async request => {
      sent.push(request);
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (answer === undefined) throw new Error("no answer");
      return answer();
    },
  });
  return { client, sent };
}

describe("the client", () => {
  it("puts each value into path, query or body, and keeps the path of its base address", async () => {
    const { client, sent } = clientWith([() => Response.json({})]);
    await client.call("agents.metrics", { id: "a/b", days: 7, group_by: "week" });
    await client.call("agents.update", { id: "x", name: "n" });
    expect(sent.map(request => [request.method, request.url])).toEqual([
      ["GET", "http://example.org/under/api/agents/a%2Fb/metrics?days=7&group_by=week"],
      ["PATCH", "http://example.org/under/api/agents/x"],
    ]);
    expect(await sent[1]?.json()).toEqual({ name: "n" });
    expect(sent[1]?.headers.get("authorization")).toBe("Bearer sk_test_x");
  });

  it("throws an error with its status and body", async () => {
    const { client } = clientWith([
      () => Response.json({ error: "no", required_tier: "lite" }, { status: 402 }),
    ]);
    const refused = await client.call("suggestions.list").catch((fault: unknown) => fault);
    expect(refused).toBeInstanceOf(ClientError);
    expect(refused).toMatchObject({ status: 402, message: "no", body: { required_tier: "lite" } });
  });

  it("retries reads, but never writes, which may have taken effect", async () => {
    const failing = () => Response.json({ error: "busy" }, { status: 503 });
    const read = clientWith([failing, () => Response.json({ budgets: [] })]);
    expect(await read.client.call("budgets.list")).toEqual({ budgets: [] });
    expect(read.sent).toHaveLength(2);
    const write = clientWith([failing]);
    const refused = await write.client
      .call("outcomes.create", { name: "x" })
      .catch((f: ClientError) => f.status);
    expect([refused, write.sent.length]).toEqual([503, 1]);
  });

  it("times out a call that takes too long", async () => {
    const silent = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Promise<Response>(() => {}),
    });
    const client = createClient({ baseUrl: silent.url.href, timeoutMs: 20, retries: 0 });
    const name = (fault: Error) => fault.name;
    const ended = await Promise.all([
      client.call("budgets.list").then(() => "answered", name),
      client.call("events.export", {}).then(() => "begun", name),
    ]);
    await silent.stop(true);
    expect(ended).toEqual(["TimeoutError", "TimeoutError"]);
  });

  it("reads a file however long it takes to arrive, once it has begun in time", async () => {
    const timeoutMs = 20;
    const slow = (request: Request) =>
      new ReadableStream({
        async start(controller) {
          controller.enqueue("id\r\n");
          await Bun.sleep(2 * timeoutMs);
          if (request.signal.aborted) return controller.error(request.signal.reason);
          controller.enqueue("a\r\n");
          controller.close();
        },
      });
    const client = createClient({
      baseUrl: "http://tollgate.invalid",
      fetch: async request => new Response(slow(request)),
      timeoutMs,
      retries: 0,
    });
    const file = await client.call("events.export", {});
    expect(await file.text().catch((fault: Error) => fault.name)).toBe("id\r\na\r\n");
  });
});
