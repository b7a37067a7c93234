import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import { writeAnswer } from "../../support/servers/http-bytes.ts";
import { BILL_DAY, billOf, type Endpoint, requestBody } from "./check-bills.ts";

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab({ now: () => BILL_DAY });
});
afterAll(() => lab.stop());

const violation = "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO";
const estimated = {
  usage_source: "estimated",
  cost_basis: "estimated",
  service_tier: null,
  output_tokens: 0,
} as const;

async function declined(endpoint: Endpoint, stream: boolean, message: string) {
  const body = JSON.stringify({ code: "The caller does not have permission", error: message });
  lab.play(writeAnswer(403, body));
  const response = await lab.gateway.post(endpoint, requestBody(endpoint, "grok-4.3", stream));
  expect([response.status, response.headers.get("x-gateway-error-source")]).toEqual([403, "provider"]);
  expect(await response.text()).toContain(message);
  const event = await lab.event(response);
  expect(event).toMatchObject({ status: "error", http_status: 403 });
  expect(response.headers.get("x-gateway-cost")).toBe(String(event.cost_microcents));
  return billOf(event);
}

describe("a request that xAI declines because it violates its guidelines", () => {
  for (const stream of [false, true]) {
    const how = stream ? "streamed" : "plain";

    it(`MON-016 MON-018 costs the fee of the Responses API, ${how}`, async () => {
      expect(await declined("/v1/responses", stream, violation)).toEqual({
        ...estimated,
        usage: { violations: 1 },
        input_tokens: 0,
        cost_microcents: 500_000, // $0.05
      });
    });

    for (const endpoint of ["/v1/chat/completions", "/v1/messages"] as const)
      it(`MON-016 MON-018 costs at least its prompt at ${endpoint}, ${how}`, async () => {
        const bill = await declined(endpoint, stream, violation);
        const { input_tokens: input } = bill;
        expect(input).toBeGreaterThan(0);
        const exact = input * 12.5;
        const cost = Math.floor(exact) % 2 === 0 ? Math.floor(exact) : Math.ceil(exact); // half to even
        expect(bill).toEqual({ ...estimated, usage: { input }, input_tokens: input, cost_microcents: cost });
      });

    it(`MON-010 costs nothing if it was declined for another reason, ${how}`, async () => {
      for (const endpoint of ["/v1/responses", "/v1/chat/completions"] as const)
        expect(await declined(endpoint, stream, "The API key is blocked")).toMatchObject({
          usage: {},
          usage_source: "none",
          cost_microcents: 0,
        });
    });
  }

  it("MON-011 every bill of the run is recomputed from its usage and rates", () => {
    expect(lab.gateway.verify()).toMatchObject({ ok: true, differences: [], open_intents: 0 });
  });
});
