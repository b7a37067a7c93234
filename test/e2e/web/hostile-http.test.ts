import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { sendBytes } from "../../support/clients/send-bytes.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";

let lab: ControlLab;
beforeAll(async () => {
  lab = await startControlLab();
});
afterAll(() => lab.stop());

const body = JSON.stringify({ period: "daily", limit_microcents: 1000, enforcement_mode: "alert_only" });
const request = (key: string, more: readonly string[] = []) =>
  [
    "POST /api/budgets HTTP/1.1",
    `host: ${new URL(lab.url).host}`,
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    ...more,
    "",
    body,
  ].join("\r\n");

describe("requests that two servers could interpret differently", () => {
  it("answers 400 to two Host lines, and has no effect", async () => {
    const { liveKey, client } = await lab.organization();
    const answer = await sendBytes(lab.url, [request(liveKey, ["host: elsewhere"])]);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      400,
      { error: "the Host header is not valid" },
    ]);
    expect((await client.call("budgets.list")).budgets).toEqual([]);
  });

  for (const [what, more] of [
    ["another one", request],
    ["a stray line", () => "\r\n"],
  ] as const) {
    it(`has no effect without an answer: a request followed by ${what} in the same packet`, async () => {
      const { liveKey, client } = await lab.organization();
      const answer = await sendBytes(lab.url, [request(liveKey) + more(liveKey)], { patienceMs: 1500 });
      expect([null, 400]).toContain(answer.status);
      expect((await client.call("budgets.list")).budgets).toEqual([]);
    });
  }
});
