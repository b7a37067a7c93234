import { askedService } from "@tollgate/core/pricing/asked-service";
import { asksToThink } from "@tollgate/providers/thinks-unseen";
import type { Intent } from "@tollgate/storage/ledger/intent";
import type { NewAgent } from "@tollgate/storage/ledger/registered-agents";
import { type Hold, strictBudgets } from "../budgets/hold.ts";
import { sentLimit } from "../pricing/allowed-output.ts";
import type { Call } from "./call.ts";

/** What the journal stores of a call before it is sent. */
export function intentOf(call: Call): Intent {
  const { prompt } = call.exchange;
  const assignment = call.steering === null ? null : call.steering.assignment;
  return {
    id: call.id,
    org_id: call.caller.orgId,
    mode: call.caller.mode,
    key_id: call.pair === null ? call.caller.keyId : undefined,
    created_at: call.createdAtMs,
    endpoint: call.endpoint.path,
    stream: call.summary.stream,
    agent_key: call.agentKey,
    session_id: call.sessionId,
    customer_id: call.customerId,
    provider: call.provider.id,
    model: call.model,
    requested_model: call.summary.model,
    request_hash: call.requestHash,
    prefix_hash: call.prefixHash,
    prompt_bytes: prompt.bytes,
    prompt_media_tokens: prompt.mediaTokens || undefined,
    prompt_audio_tokens: prompt.audioTokens || undefined,
    prompt_cache_write: prompt.cacheWrite ?? undefined,
    max_output_tokens: sentLimit(call),
    choices: call.summary.choices === 1 ? undefined : call.summary.choices,
    thinks: asksToThink(call.body) || undefined,
    asked_service: askedService(call.provider.id, call.body, call.exchange.isNative) ?? undefined,
    budget_flags: call.hold?.flags ?? undefined,
    worst_microcents: call.hold?.strict?.worstMicrocents,
    strict_budgets: strictBudgetsOf(call.hold),
    // Not null: undefined fields take no bytes in the journal's slot.
    experiment_id: assignment === null ? undefined : assignment.experimentId,
    arm: assignment === null ? undefined : assignment.arm,
    traceparent: call.traceparent ?? undefined,
    config_version: call.configVersion ?? undefined,
    source: call.pair === null ? undefined : call.pair.source,
    pair: call.pair === null ? undefined : call.pair.mark,
  };
}

function strictBudgetsOf(hold: Hold | null): Intent["strict_budgets"] {
  if (hold === null || hold.strict === null) return undefined;
  return strictBudgets(hold).map(({ id, sinceMs }) => ({ id, since: sinceMs }));
}

/** The call's agent, which it registers. */
export function newAgent(call: Call): NewAgent {
  return {
    id: crypto.randomUUID(),
    org_id: call.caller.orgId,
    mode: call.caller.mode,
    agent_key: call.agentKey,
    first_seen_at: call.createdAtMs,
  };
}
