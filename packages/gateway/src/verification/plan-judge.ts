import type { Target } from "@tollgate/core/steering";
import type { JudgePrompt } from "@tollgate/core/verification/judge/judge-prompt";
import { openaiChat } from "@tollgate/providers/dialects/openai-chat/dialect";
import { planExchange } from "@tollgate/providers/exchange";
import { providers } from "@tollgate/providers/registry";
import type { Routed } from "../request/routed.ts";

/** A judgement is twenty tokens long; a model that thinks first needs more. */
const ANSWER_TOKENS = 4096;

/** The judge of any provider is called in one dialect. */
export function planJudge({ system, user, schema }: JudgePrompt, { provider: id, model }: Target): Routed {
  const provider = providers[id];
  const body = openaiChat.capOutput(
    {
      model,
      messages: [
        { role: "system", content: system },
        { role: "user", content: user },
      ],
      response_format: { type: "json_schema", json_schema: { name: "judgement", strict: true, schema } },
      reasoning_effort: "low",
    },
    ANSWER_TOKENS,
    model,
  );
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const summary = openaiChat.summarize(body);
  const exchange = planExchange(openaiChat, provider, {
    body,
    bytes,
    source: body,
    summary,
    model,
    query: "",
    // Like a client's request written for another model: what this one would reject is omitted.
    steered: { isSwitched: true, isForeign: false, cachesPrompt: false },
  });
  return { bytes, source: body, body, summary, provider, model, exchange, steering: null };
}
