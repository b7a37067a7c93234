import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import { writeAnswer } from "../../support/servers/http-bytes.ts";

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab();
});
afterAll(() => lab.stop());

const failed = (error: object, more: object = {}) =>
  JSON.stringify({
    id: "resp_1",
    object: "response",
    status: "failed",
    model: "gpt-5-2025-08-07",
    output: [],
    usage: null,
    error,
    ...more,
  });

async function call(answer: string) {
  lab.play(writeAnswer(200, answer));
  const response = await lab.gateway.post("/v1/responses", { model: "gpt-5", input: "Hi" });
  expect(await response.text()).toBe(answer);
  expect([response.status, response.headers.get("x-gateway-error-source")]).toEqual([200, "provider"]);
  return lab.event(response);
}

describe("a response that failed, although its status is 200", () => {
  it("MON-018 GW-041 is an error, and costs nothing if the provider turned the call down", async () => {
    const error = { code: "rate_limit_exceeded", message: "slow down" };
    expect(await call(failed(error))).toMatchObject({
      status: "error",
      http_status: 200,
      error_code: "rate_limit_exceeded",
      cost_microcents: 0,
    });
  });

  it("MON-018 costs its prompt at least if the provider worked on it, and what it reports if it does", async () => {
    const error = { code: "server_error", message: "sorry" };
    const silent = await call(failed(error));
    expect(silent).toMatchObject({ status: "error", cost_basis: "estimated" });
    expect(silent.input_tokens).toBeGreaterThan(0);
    const reported = await call(failed(error, { usage: { input_tokens: 1000, output_tokens: 10 } }));
    expect(reported).toMatchObject({ status: "error", cost_basis: "priced", cost_microcents: 13_500 });
  });
});
