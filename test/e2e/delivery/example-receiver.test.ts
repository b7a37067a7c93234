import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createHmac } from "node:crypto";
import { join } from "node:path";

const server = join(import.meta.dir, "../../../examples/webhook-receiver/server.mjs");
const secret = "my-secret";
let url: string;
let child: Bun.Subprocess<"ignore", "pipe", "inherit">;

beforeAll(async () => {
  // On plain Node, as its readers will run it.
  child = Bun.spawn(["node", server], {
    env: { PATH: process.env.PATH ?? "", WEBHOOK_SECRET: secret, PORT: "0" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  // Read to the end: a full pipe would block the receiver.
  const { promise, resolve } = Promise.withResolvers<string>();
  void (async () => {
    let said = "";
    for await (const bytes of child.stdout) {
      said += new TextDecoder().decode(bytes);
      const found = /http:\S+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    }
  })();
  url = await promise;
});
afterAll(async () => {
  child.kill();
  await child.exited;
});

const body = JSON.stringify({
  event_type: "event.created",
  timestamp: "2026-11-15T12:00:00.000Z",
  data: { id: "e1", cost_microcents: 242 },
});

function delivery(id: string, ageSeconds = 0, key = secret): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const standard = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "x-webhook-signature": createHmac("sha256", key).update(body).digest("hex"),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${standard}`,
  };
}

async function send(headers: Record<string, string>, text = body): Promise<number> {
  const answer = await fetch(url, { method: "POST", headers, body: text });
  await answer.text();
  return answer.status;
}

describe("the example receiver", () => {
  it("HOOK-006 HOOK-007 accepts a delivery with both signatures, and its second attempt", async () => {
    expect(await send(delivery("one"))).toBe(200);
    expect(await send(delivery("one", 5))).toBe(200);
  });

  it("accepts signatures of the previous secret while both sign", async () => {
    const old = delivery("rotated");
    const other = delivery("rotated", 0, "the new secret");
    const both = {
      ...old,
      "x-webhook-signature": other["x-webhook-signature"] ?? "",
      "x-webhook-signature-previous": old["x-webhook-signature"] ?? "",
      "webhook-signature": `${other["webhook-signature"]} ${old["webhook-signature"]}`,
    };
    expect(await send(both)).toBe(200);
  });

  it("rejects replayed requests", async () => {
    const recorded = delivery("two");
    expect(await send(recorded)).toBe(200);
    expect(await send(recorded)).toBe(409);
    expect(await send(delivery("three", 301))).toBe(401);
  });

  const good = delivery("four");
  const cases: [string, Record<string, string>, string][] = [
    ["another secret", delivery("four", 0, "not the secret"), body],
    ["altered bytes", good, `${body} `],
    ["another id", { ...good, "webhook-id": "five" }, body],
    ["another time", { ...good, "webhook-timestamp": String(Number(good["webhook-timestamp"]) - 1) }, body],
    ["no plain signature", { ...good, "x-webhook-signature": "" }, body],
    ["no standard signature", { ...good, "webhook-signature": "" }, body],
    ["no headers at all", { "content-type": "application/json" }, body],
  ];
  it.each(cases)("rejects %s", async (_, headers, text) => {
    expect(await send(headers, text)).toBe(401);
  });
});
