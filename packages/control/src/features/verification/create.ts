import { fail } from "@tollgate/core/errors";
import { resolveTarget } from "@tollgate/core/models/resolve-target";
import { microcents } from "@tollgate/core/money/money";
import type { Target } from "@tollgate/core/steering";
import { chooseJudge } from "@tollgate/core/verification/judge/choose-judge";
import { planTrial, trialEndsAtMs } from "@tollgate/core/verification/trial-plan";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { actorName } from "../../kernel/actor-name.ts";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { findAgent } from "../agents/find-agent.ts";
import { bookFreeGrant, noVerificationLeft, readBalance } from "./balance.ts";
import { findQualityExperiment } from "./experiment-evidence.ts";
import { defaultPolicy, findPolicy, type Policy } from "./policies.ts";
import { registerTrial } from "./register-trial.ts";
import { openStatuses, pollPath, type RequestRow } from "./request-row.ts";
import { countCollecting, MAX_COLLECTING } from "./start-queued.ts";

/** Responds immediately: the trial is registered with the request, and pairs come later. */
export const requestsCreate: Handler<"verify.requests.create"> = async (context, input) => {
  const { catalogue, scope, newId } = context;
  const now = context.now();
  const at = new Date(now);
  const policy = await findPolicy(context, input.policy_id ?? defaultPolicy.id);
  const agent = input.agent_id === undefined ? null : await findAgent(context, input.agent_id);
  const production = resolveTarget("prod_model", input.prod_model, catalogue, at);
  const candidate = resolveTarget("candidate_model", input.candidate_model, catalogue, at);
  if (isComparedWithItself(context, production, candidate)) {
    throw fail("invalid_request", "candidate_model: this is the production model");
  }
  const judge = policy.evidence_mode === "shadow" ? judgeOf(context, policy, production, candidate) : null;
  const agentId = agent?.id ?? null;
  const experiment =
    policy.evidence_mode === "experiment"
      ? await findQualityExperiment(context, agentId, production, candidate)
      : null;
  const id = newId();
  // The random part of a time-ordered id.
  const seed = id.slice(-12);
  const plan = planTrial(
    {
      agent_id: agentId,
      prod_provider: production.provider,
      prod_model: production.model,
      candidate_provider: candidate.provider,
      candidate_model: candidate.model,
      experiment_id: experiment,
    },
    {
      name: policy.name,
      margin: policy.margin,
      max_pairs: policy.max_pairs,
      max_spend_microcents: microcents(policy.max_spend_microcents),
      sample_share: policy.share_pct / 100,
      judge_model: null,
      evidence_mode: policy.evidence_mode,
    },
    judge === null ? null : `${judge.provider}/${judge.model}`,
    seed,
  );
  const row: RequestRow = {
    id,
    org_id: scope.orgId,
    mode: scope.mode,
    agent_id: agentId,
    agent_key: agent?.agent_key ?? null,
    prod_provider: production.provider,
    prod_model: production.model,
    candidate_provider: candidate.provider,
    candidate_model: candidate.model,
    judge_provider: judge?.provider ?? null,
    judge_model: judge?.model ?? null,
    policy_id: policy.id,
    evidence_mode: policy.evidence_mode,
    share_pct: policy.share_pct,
    max_pairs: policy.max_pairs,
    max_spend_microcents: policy.max_spend_microcents,
    seed,
    status: "queued",
    trial_id: newId(),
    verdict_id: null,
    end_reason: null,
    created_by: actorName(context.actor),
    created_at: now,
    expires_at: trialEndsAtMs(plan, now),
    ended_at: null,
  };
  const made = await context.db.transaction().execute(async transaction => {
    // Of two concurrent requests, the second sees the first and its reservation.
    await lockOrganization(transaction, context.engine, scope.orgId);
    const running = await findRunning(transaction, row);
    if (running !== null) return sameAsked(running, policy);
    await bookFreeGrant(transaction, context, scope);
    const balance = await readBalance(transaction, scope, context.freeVerifications);
    if (balance.available < 1) throw noVerificationLeft(balance);
    const isFull = (await countCollecting(transaction, scope)) >= MAX_COLLECTING;
    const request: RequestRow = { ...row, status: isFull ? "queued" : "collecting" };
    await transaction.insertInto("verification_requests").values(request).execute();
    await registerTrial(transaction, request, plan);
    return request;
  });
  return {
    id: made.id,
    status: made.status === "queued" ? "queued" : "collecting",
    trial_id: made.trial_id,
    poll: pollPath(made.id),
  };
};

/** A snapshot and its alias are one model: there would be nothing to compare. */
function isComparedWithItself({ catalogue }: Context, a: Target, b: Target): boolean {
  return a.provider === b.provider && idOf(a) === idOf(b);
  function idOf({ provider, model }: Target): string {
    return catalogue.find(provider, model)?.id ?? model;
  }
}

function judgeOf(
  { catalogue, now }: Context,
  { judge_model }: Policy,
  production: Target,
  candidate: Target,
): Target {
  const at = new Date(now());
  if (judge_model !== null) return resolveTarget("judge_model", judge_model, catalogue, at);
  const chosen = chooseJudge(catalogue, production.provider, [production, candidate], at);
  if (chosen === null) {
    throw fail(
      "invalid_request",
      "No third model could judge these two: name one as `judge_model` of a policy",
    );
  }
  return { provider: chosen.provider, model: chosen.id };
}

async function findRunning(transaction: ControlDb, row: RequestRow): Promise<RequestRow | null> {
  const found = await transaction
    .selectFrom("verification_requests")
    .selectAll()
    .where("org_id", "=", row.org_id)
    .where("mode", "=", row.mode)
    .where("agent_id", row.agent_id === null ? "is" : "=", row.agent_id)
    .where("prod_provider", "=", row.prod_provider)
    .where("prod_model", "=", row.prod_model)
    .where("candidate_provider", "=", row.candidate_provider)
    .where("candidate_model", "=", row.candidate_model)
    .where("status", "in", openStatuses)
    .executeTakeFirst();
  return found === undefined ? null : fromRow("verification_requests", found);
}

/** A request that is repeated after its response was lost returns the same handle and starts nothing. */
function sameAsked(running: RequestRow, { id }: Policy): RequestRow {
  if (running.policy_id === id) return running;
  throw fail(
    "invalid_request",
    "A verification of this switch is under way with another policy; wait for its end, or cancel it",
    { request_id: running.id },
  );
}
