import { expect, it } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startTestGateway } from "../../support/labs/test-gateway.ts";
import { otlpRequest, otlpSpan } from "./otlp-span.ts";

const canary = "canary-7f3a-prompt";

it("stores no prompt of a span or event anywhere, and quotes none in an answer", async () => {
  const gateway = await startTestGateway();
  try {
    const spans = [
      otlpSpan({
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.input.messages": canary,
        "gen_ai.output.messages": canary,
        "gen_ai.system_instructions": canary,
        "gen_ai.prompt": canary,
        "llm.input_messages.0.message.content": canary,
        "ai.prompt": canary,
        "input.value": canary,
        "traceloop.entity.input": canary,
      }),
      otlpSpan({ model: "gpt-4o-mini", input_tokens: canary }),
    ].map(span => ({ ...span, name: canary, events: [{ name: canary }], status: { message: canary } }));
    const answers = [
      await gateway.post("/v1/traces", otlpRequest(...spans)),
      await gateway.post("/v1/traces", `{"resourceSpans":[${canary}`),
      await gateway.post("/v1/events", {
        events: [
          { model: "gpt-4o-mini", messages: canary },
          { model: "gpt-4o-mini", input_tokens: canary },
          { model: "gpt-4o-mini", status: canary, session_id: `${canary} \n` },
        ],
      }),
      await gateway.post("/v1/events", `{"events":[${canary}`),
    ];
    for (const answer of answers) expect(await answer.text()).not.toContain(canary);
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 400]);
    expect(gateway.events()).toHaveLength(1);
    await gateway.stop("keep files");
    for (const file of readdirSync(gateway.dataDir)) {
      expect(readFileSync(join(gateway.dataDir, file)).includes(canary)).toBe(false);
    }
    expect(gateway.logged.join("\n")).not.toContain(canary);
  } finally {
    await gateway.stop();
  }
});
