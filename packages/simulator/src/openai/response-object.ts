import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { type Call, epochSeconds } from "../call.ts";
import { listOf, objectOf, textOf } from "../json-object.ts";
import type { AnswerPlan } from "../plan-answer.ts";
import type { Effort } from "../prompt.ts";

/** Differences between OpenAI's and xAI's Responses APIs. */
export interface ResponsesHost {
  /** `resp`, `msg`, `rs`, `fc` with their suffix: OpenAI's are long hex, xAI's are UUIDs. */
  id(prefix: string, label: string): string;
  servedModel(model: string): string;
  effort(model: string, asked: unknown): Effort | null;
  serviceTier(asked: unknown): string;
  usage(body: JsonObject, plan: AnswerPlan): JsonObject;
}

export function responseObject(
  call: Call,
  host: ResponsesHost,
  body: JsonObject,
  state: { status: string; output: readonly JsonObject[]; plan: AnswerPlan | null; error?: JsonObject },
): JsonObject {
  const model = textOf(body.model);
  const reasoning = objectOf(body.reasoning);
  const incomplete = state.status === "incomplete";
  return {
    id: host.id("resp", "response"),
    object: "response",
    created_at: epochSeconds(call),
    status: state.status,
    background: false,
    completed_at: state.status === "completed" ? epochSeconds(call) : null,
    error: state.error ?? null,
    incomplete_details: incomplete ? { reason: "max_output_tokens" } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: host.servedModel(model),
    output: state.output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: host.effort(model, reasoning.effort), summary: reasoning.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: host.serviceTier(body.service_tier),
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: "text" }, verbosity: "medium", ...objectOf(body.text) },
    tool_choice: body.tool_choice ?? "auto",
    tools: listOf(body.tools),
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? "disabled",
    usage: state.plan ? host.usage(body, state.plan) : null,
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  };
}

export function outputStatus(plan: AnswerPlan): "completed" | "incomplete" {
  return plan.finish === "length" ? "incomplete" : "completed";
}

/** Finished items in the order of generation: reasoning, then text or calls. */
export function outputItems(
  call: Call,
  host: ResponsesHost,
  body: JsonObject,
  plan: AnswerPlan,
): JsonObject[] {
  const items: JsonObject[] = [];
  if (plan.reasoning !== "") items.push(reasoningItem(call, host, body, plan));
  if (plan.text !== "") {
    const part =
      plan.finish === "refusal"
        ? { type: "refusal", refusal: plan.text }
        : { type: "output_text", annotations: [], logprobs: [], text: plan.text };
    items.push({
      id: host.id("msg", "message"),
      type: "message",
      status: outputStatus(plan),
      content: [part],
      role: "assistant",
    });
  }
  for (const [at, planned] of plan.calls.entries()) {
    items.push({
      id: host.id("fc", `function call ${at}`),
      type: "function_call",
      status: "completed",
      arguments: JSON.stringify(planned.arguments),
      call_id: `call_${call.ids.alphanumeric(`call ${at}`, 24)}`,
      name: planned.name,
    });
  }
  return items;
}

function reasoningItem(call: Call, host: ResponsesHost, body: JsonObject, plan: AnswerPlan): JsonObject {
  const summarized = objectOf(body.reasoning).summary != null;
  const encrypted = listOf(body.include).includes("reasoning.encrypted_content");
  return {
    id: host.id("rs", "reasoning"),
    type: "reasoning",
    ...(encrypted ? { encrypted_content: call.ids.alphanumeric("encrypted", 120) } : {}),
    summary: summarized ? [{ type: "summary_text", text: plan.reasoning }] : [],
  };
}
