import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { callRoutes } from "../support/clients/call-routes.ts";
import {
  expectOwnError,
  expectPromptBilled,
  type FaultLab,
  nothingUsed,
  startFaultLab,
} from "../support/labs/fault-lab.ts";

/** An address where nothing listens: no program is given this port by chance. */
const CLOSED = "http://127.0.0.1:9";

const everywhere = (url: string) => ({ baseUrls: { openai: url, anthropic: url, google: url, xai: url } });

const faults = [
  {
    name: "the port is closed",
    isSent: false,
    options: async () => everywhere(CLOSED),
    script: [],
  },
  {
    name: "the name cannot be resolved",
    isSent: false,
    // A label of 64 characters is one too many: the resolver rejects it without using the network.
    options: async () => everywhere(`http://${"a".repeat(64)}.invalid`),
    script: [],
  },
  {
    name: "the connection is reset before the head",
    isSent: true,
    options: async () => ({}),
    script: [{ do: "reset" }],
  },
  {
    name: "the connection ends before the head",
    isSent: true,
    options: async () => ({}),
    script: [{ do: "end" }],
  },
  {
    name: "the connection is reset within the head",
    isSent: true,
    options: async () => ({}),
    script: [{ do: "write", bytes: "HTTP/1.1 200 OK\r\ncontent-ty" }, { do: "reset" }],
  },
  {
    name: "what answers speaks no HTTP",
    isSent: true,
    options: async () => ({}),
    script: [{ do: "write", bytes: "220 mail.example ESMTP\r\n\r\n" }, { do: "end" }],
  },
] as const;

for (const fault of faults) {
  const bill = fault.isSent ? "the prompt" : "nothing";
  describe(`GW-027 GW-032 GW-036 MON-018 ${fault.name}: 502, and one event that costs ${bill}`, () => {
    let lab: FaultLab;
    beforeAll(async () => {
      lab = await startFaultLab(await fault.options());
      lab.play(fault.script);
    });
    afterAll(() => lab.stop());

    for (const route of callRoutes) {
      for (const stream of [false, true]) {
        it(`${route.name}, ${stream ? "streamed" : "plain"}`, async () => {
          const answer = await lab.call(route, stream);
          await expectOwnError(answer, 502);
          const event = await lab.event(answer);
          expect(event).toMatchObject({
            status: "error",
            http_status: null,
            error_code: "provider_unreachable",
            provider: route.provider,
            stream,
            ttft_ms: null,
          });
          if (fault.isSent) expectPromptBilled(event);
          else expect(event).toMatchObject({ ...nothingUsed, cost_basis: "priced" });
        });
      }
    }
  });
}
