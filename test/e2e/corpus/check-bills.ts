import { afterAll, beforeAll, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import {
  writeAnswer,
  writeChunk,
  writeChunkedHead,
  writeLastChunk,
} from "../../support/servers/http-bytes.ts";
import type { Step } from "../../support/servers/scripted-server.ts";
import type { RawAnswer } from "./raw-answer.ts";

/** The bills are computed with this day's prices. */
export const BILL_DAY = Date.parse("2026-11-01T12:00:00Z");

export type Bill = Pick<
  Event,
  "usage" | "input_tokens" | "output_tokens" | "usage_source" | "cost_basis" | "service_tier"
> & { readonly cost_microcents: number };

export interface BillCase {
  readonly what: string;
  /** As requested by the client. */
  readonly model: string;
  readonly answer: RawAnswer;
  /** Further fields of the request. */
  readonly asks?: object;
  /** Only in the provider's own dialect: others cannot express it. */
  readonly nativeOnly?: boolean;
  readonly bill: Bill;
}

export type Endpoint = "/v1/chat/completions" | "/v1/messages" | "/v1/responses";

/** The minimal request of each endpoint. */
export function requestBody(endpoint: Endpoint, model: string, stream: boolean) {
  const prompt =
    endpoint === "/v1/responses" ? { input: "Hi" } : { messages: [{ role: "user", content: "Hi" }] };
  const limit = endpoint === "/v1/messages" ? { max_tokens: 4096 } : {};
  return { model, ...prompt, ...limit, ...(stream && { stream: true }) };
}

export function billOf(event: Event): Bill {
  const { usage, input_tokens, output_tokens, usage_source, cost_basis, service_tier, cost_microcents } =
    event;
  return { usage, input_tokens, output_tokens, usage_source, cost_basis, service_tier, cost_microcents };
}

/** Split without regard to frames or characters, like the network. */
export function streamSteps(frames: readonly string[]): Step[] {
  const bytes = Buffer.from(frames.join(""));
  const steps: Step[] = [writeChunkedHead("text/event-stream; charset=utf-8")];
  for (let at = 0; at < bytes.length; at += 211) steps.push(writeChunk(bytes.subarray(at, at + 211)));
  return [...steps, writeLastChunk];
}

/** Each case at each endpoint, plain and streamed: the same bill. The first endpoint is the provider's own. */
export function checkBills(endpoints: readonly [Endpoint, ...Endpoint[]], cases: readonly BillCase[]): void {
  let lab: FaultLab;
  beforeAll(async () => {
    lab = await startFaultLab({ now: () => BILL_DAY });
  });
  // Recomputes and explains every event of the run from its tokens and its stored rates.
  afterAll(() => lab.stop());

  for (const { what, model, answer, asks, nativeOnly, bill } of cases) {
    for (const endpoint of nativeOnly ? endpoints.slice(0, 1) : endpoints) {
      it(`${model}: ${what}; ${endpoint}, plain`, async () => {
        lab.play(writeAnswer(200, answer.plain));
        const response = await lab.gateway.post(endpoint, {
          ...requestBody(endpoint, model, false),
          ...asks,
        });
        expect(response.status).toBe(200);
        await response.text();
        const event = await lab.event(response);
        expect(event).toMatchObject({ status: "success", stream: false });
        expect(billOf(event)).toEqual(bill);
        expect(response.headers.get("x-gateway-cost")).toBe(String(bill.cost_microcents));
      });

      it(`${model}: ${what}; ${endpoint}, streamed`, async () => {
        lab.play(streamSteps(answer.frames));
        const response = await lab.gateway.post(endpoint, { ...requestBody(endpoint, model, true), ...asks });
        expect(response.status).toBe(200);
        await response.text();
        const event = await lab.event(response);
        expect(event).toMatchObject({ status: "success", stream: true });
        expect(billOf(event)).toEqual(bill);
      });
    }
  }

  it("every bill of the run is recomputed from its tokens and rates", () => {
    expect(lab.gateway.verify()).toMatchObject({ ok: true, differences: [], open_intents: 0 });
  });
}
