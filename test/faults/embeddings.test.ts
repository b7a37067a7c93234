import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import {
  expectOwnError,
  expectPromptBilled,
  type FaultLab,
  nothingUsed,
  startFaultLab,
} from "../support/labs/fault-lab.ts";
import { writeAnswer, writeChunk, writeChunkedHead, writeHead } from "../support/servers/http-bytes.ts";
import type { Step } from "../support/servers/scripted-server.ts";

/** Waits for its providers, so that a busy machine does not turn an answer into a timeout. */
let patient: FaultLab;
/** Has a short timeout, for providers that fall silent. */
let impatient: FaultLab;
beforeAll(async () => {
  patient = await startFaultLab({ providerTimeoutMs: 600_000 });
  impatient = await startFaultLab({ providerTimeoutMs: 300 });
});
afterAll(async () => {
  await patient.stop();
  await impatient.stop();
});

const models = ["text-embedding-3-small", "gemini-embedding-001"];
const ask = (lab: FaultLab, model: string) => lab.gateway.post("/v1/embeddings", { model, input: "hello" });

const faults: {
  name: string;
  status: number;
  event: "error" | "timeout";
  httpStatus: number | null;
  script: Step[];
}[] = [
  { name: "a reset", status: 502, event: "error", httpStatus: null, script: [{ do: "reset" }] },
  { name: "silence", status: 504, event: "timeout", httpStatus: null, script: [{ do: "hang" }] },
  {
    name: "silence within the body",
    status: 504,
    event: "timeout",
    httpStatus: 200,
    script: [writeChunkedHead("application/json"), writeChunk('{"data": ['), { do: "hang" }],
  },
  {
    name: "truncated JSON",
    status: 502,
    event: "error",
    httpStatus: 200,
    script: writeAnswer(200, '{"data": ['),
  },
  { name: "a page", status: 502, event: "error", httpStatus: 200, script: writeAnswer(200, "<html>") },
  { name: "an empty body", status: 502, event: "error", httpStatus: 200, script: writeAnswer(200, "") },
  {
    name: "a redirect",
    status: 502,
    event: "error",
    httpStatus: 302,
    script: [writeHead(302, { location: "http://127.0.0.1:9/", "content-length": "0" })],
  },
];

for (const { name, status, event, httpStatus, script } of faults) {
  describe(`GW-027 GW-028 GW-029 MON-018 embeddings and ${name}: ${status}, and one event with status ${event}`, () => {
    for (const model of models) {
      it(model, async () => {
        const lab = event === "timeout" ? impatient : patient;
        lab.play(script);
        const answer = await ask(lab, model);
        await expectOwnError(answer, status);
        const settled = await lab.event(answer);
        expect(settled).toMatchObject({ status: event, http_status: httpStatus, endpoint: "/v1/embeddings" });
        if (httpStatus === 302) expect(settled).toMatchObject(nothingUsed);
        else expectPromptBilled(settled);
        expect(settled.output_tokens).toBe(0);
      });
    }
  });
}

describe("GW-031 a provider's own error to embeddings keeps its status, in the client's dialect", () => {
  for (const [model, body] of [
    [
      models[0],
      { error: { message: "too much", type: "requests", param: null, code: "rate_limit_exceeded" } },
    ],
    [models[1], { error: { code: 429, message: "too much", status: "RESOURCE_EXHAUSTED" } }],
  ] as const) {
    it(`${model}`, async () => {
      patient.play(writeAnswer(429, JSON.stringify(body), { "retry-after": "3" }));
      const answer = await ask(patient, model ?? "");
      expect(answer.status).toBe(429);
      expect(answer.headers.get("x-gateway-error-source")).toBe("provider");
      expect(answer.headers.get("retry-after")).toBe("3");
      expect(await answer.json()).toMatchObject({ error: { message: "too much" } });
      expect(await patient.event(answer)).toMatchObject({
        status: "error",
        http_status: 429,
        ...nothingUsed,
      });
    });
  }
});
