import { afterAll, beforeAll, expect, it } from "bun:test";
import { jsonBody } from "../../support/clients/json-body.ts";
import { sendBytes } from "../../support/clients/send-bytes.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { otlpRequest, otlpSpan } from "./otlp-span.ts";

let gateway: TestGateway;
let openai: ServedProvider;
beforeAll(async () => {
  openai = serveProvider("openai");
  gateway = await startTestGateway({ baseUrls: { openai: openai.url } });
});
afterAll(async () => {
  await gateway.stop();
  await openai.stop();
});

interface Ids {
  readonly agent: string;
  readonly session: string;
  readonly customer: string;
}

/** Each reports one call with these ids, and returns whether it was accepted. */
const entryPoints: Record<string, (ids: Ids) => Promise<boolean>> = {
  async headers({ agent, session, customer }) {
    const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] });
    const head = [
      "POST /v1/chat/completions HTTP/1.1",
      "host: x",
      "connection: close",
      `authorization: Bearer ${gateway.liveKey}`,
      "x-provider-key: k",
      "content-type: application/json",
      `content-length: ${body.length}`,
      `x-agent-id: ${agent}`,
      `x-session-id: ${session}`,
      `x-customer-id: ${customer}`,
    ];
    return (
      (await sendBytes(gateway.url, [Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`)])).status === 200
    );
  },
  async events({ agent, session, customer }) {
    const event = { model: "gpt-4o-mini", agent_key: agent, session_id: session, customer_id: customer };
    const answer = await jsonBody(await gateway.post("/v1/events", { events: [event] }));
    return answer.accepted === 1;
  },
  async telemetry({ agent, session, customer }) {
    const span = otlpSpan({
      model: "gpt-4o-mini",
      input_tokens: 1,
      agent_id: agent,
      session_id: session,
      customer_id: customer,
    });
    const answer = await gateway.post("/v1/traces", otlpRequest(span));
    return (await jsonBody(answer)).partialSuccess === undefined;
  },
};

const plain: Ids = { agent: "a", session: "s", customer: "c" };

for (const [name, tell] of Object.entries(entryPoints)) {
  it(`GW-016 ING-001 ING-006 stores realistic ids verbatim (${name})`, async () => {
    for (const id of [
      "auth0|77",
      "jane+test@example.com",
      "team#7",
      "Acme Corp",
      "Zoë 日本 🦊",
      "=1+1",
      "e\u0301",
    ]) {
      expect([id, await tell({ agent: id, session: `${id} s`, customer: `${id} c` })]).toEqual([id, true]);
      expect(gateway.events().at(-1)).toMatchObject({
        agent_key: id,
        session_id: `${id} s`,
        customer_id: `${id} c`,
      });
    }
  });

  it(`GW-017 rejects a call with a too long or invisible id, whichever it is (${name})`, async () => {
    for (const id of ["x".repeat(257), "a\u202eb", "a\u200bb", "a\u0085b", "a\tb"]) {
      for (const field of ["agent", "session", "customer"] as const) {
        const before = gateway.events().length;
        expect([id, field, await tell({ ...plain, [field]: id })]).toEqual([id, field, false]);
        expect(gateway.events()).toHaveLength(before);
      }
    }
  });
}
