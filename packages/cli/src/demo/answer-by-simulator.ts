import { inputTokens, outputTokens } from "@tollgate/core/money/usage";
import { openaiChat } from "@tollgate/providers/dialects/openai-chat/dialect";
import { planExchange } from "@tollgate/providers/exchange";
import { providers } from "@tollgate/providers/registry";
import { simulate } from "@tollgate/simulator/simulate";
import type { PlottedCall } from "./plot-traffic.ts";

/** The body of `POST /v1/events`. It omits the cost, which the gateway computes as for every call. */
export interface DemoEvent {
  readonly id: string;
  readonly created_at: string;
  readonly agent_key: string;
  readonly session_id: string;
  readonly customer_id: string;
  readonly provider: string;
  readonly model: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly latency_ms: number;
  readonly status: PlottedCall["status"];
}

/** Sends the call through the real codec to the simulator, and reads its usage with the real meter. */
export async function answerBySimulator(
  call: PlottedCall,
  id: string,
  random: () => number,
): Promise<DemoEvent> {
  const body = { model: call.model, messages: [{ role: "user", content: call.prompt }] };
  const exchange = planExchange(openaiChat, providers[call.provider], {
    body,
    bytes: new TextEncoder().encode(JSON.stringify(body)),
    summary: openaiChat.summarize(body),
    model: call.model,
    query: "",
  });
  const { path, headers, body: sent } = exchange.upstream;
  const answer = await simulate(
    call.provider,
    new Request(`http://simulator.invalid${path}`, {
      method: "POST",
      headers: { ...providers[call.provider].credential("demo"), ...headers },
      body: sent,
    }),
    { paceMs: 0 },
  );
  const meter = exchange.meter();
  exchange.readAnswer(await answer.text(), meter);
  const { usage } = meter.reading();
  if (!usage) throw new Error(`the simulator reported no usage for ${call.model}`);
  const produced = outputTokens(usage);
  const failed = call.status === "error" || call.status === "timeout";
  return {
    id,
    created_at: new Date(call.atMs).toISOString(),
    agent_key: call.agent,
    session_id: call.session,
    customer_id: call.customer,
    provider: call.provider,
    model: call.model,
    input_tokens: failed ? 0 : inputTokens(usage),
    output_tokens: failed ? 0 : produced,
    latency_ms: call.status === "timeout" ? 60_000 : Math.round(200 + produced * (8 + random() * 20)),
    status: call.status,
  };
}
