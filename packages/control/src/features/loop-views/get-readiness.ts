import { type Envelope, toEnvelope } from "@tollgate/core/contract/fields/envelope";
import { daysBeforeToday, historyWindow, wholeDays } from "@tollgate/core/limits/history-window";
import { wilsonInterval } from "@tollgate/core/statistics/wilson-interval";
import { ineligibleReason } from "@tollgate/core/verification/estimator-eligibility";
import { builtInPolicies } from "@tollgate/core/verification/trial-plan";
import { evidenceModes } from "@tollgate/core/verification/vocabulary";
import { dailyCalls, volumeVersusPower } from "@tollgate/core/verification/volume-versus-power";
import type { Handler } from "../../kernel/handler.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { agentSettingsOf } from "../agents/settings.ts";
import { blockedProposals } from "./blocked-proposals.ts";

const COVERAGE_DAYS = 7;

const [policy] = builtInPolicies;

export const loopViewsReadiness: Handler<"loop_views.readiness"> = async (context, { limit, offset }) => {
  const { readModel, scope, organization } = context;
  const now = context.now();
  const window = historyWindow({ to: now + 1 }, organization.tier, now);
  const recent = wholeDays(historyWindow({ days: COVERAGE_DAYS, to: now + 1 }, organization.tier, now));
  const days = daysBeforeToday(window, now);
  const [signals, blocked, throughMs] = await Promise.all([
    readModel.agentSignals(scope, { days, recent, outcomes: window }),
    blockedProposals(context),
    readModel.followedUntil(now),
  ]);
  const shown = signals.volumes.slice(offset, offset + limit);
  const settings = await agentSettingsOf(
    context,
    shown.map(({ agent_id }) => agent_id),
  );
  const coverage = new Map(signals.coverage.map(one => [one.agent_id, one]));
  const sessions = new Map(signals.sessions.map(one => [one.agent_id, one]));
  const lags = Map.groupBy(signals.lags, one => one.agent_id);
  const reasons = Map.groupBy(blocked, one => one.agentId);

  const count = (value: number) => toEnvelope({ method: "count", value }, throughMs);
  const exact = (value: number | null) => toEnvelope({ method: "exact", value }, throughMs);
  const share = (part: number, whole: number): Envelope =>
    toEnvelope(
      {
        method: "ratio_wilson",
        value: whole === 0 ? null : part / whole,
        interval: wilsonInterval(part, whole),
      },
      throughMs,
    );
  const mean = (found: Mean | null) =>
    toEnvelope(
      { method: "mean_t", value: found?.value ?? null, interval: found?.interval ?? null },
      throughMs,
    );

  return {
    period: toPeriod(window),
    policy: {
      name: policy.name,
      margin: exact(policy.margin),
      sample_share: exact(policy.sample_share),
      max_pairs: exact(policy.max_pairs),
    },
    agent_count: count(signals.volumes.length),
    agents: shown.map(agent => {
      const said = settings.get(agent.agent_id);
      const covered = coverage.get(agent.agent_id) ?? { calls: 0, session_calls: 0, version_calls: 0 };
      const joined = sessions.get(agent.agent_id) ?? { sessions: 0, joined: 0 };
      const waited = (lags.get(agent.agent_id) ?? []).map(({ lag_ms }) => lag_ms).sort((a, b) => a - b);
      const power = volumeVersusPower(dailyCalls(agent, days), policy);
      return {
        agent_id: agent.agent_id,
        agent_name: said?.name ?? agent.agent_key,
        event_coverage: {
          calls: count(covered.calls),
          with_session: share(covered.session_calls, covered.calls),
          with_config_version: share(covered.version_calls, covered.calls),
        },
        label_lag: {
          outcomes: count(waited.length),
          median_ms: exact(quantile(waited, 0.5)),
          p90_ms: exact(quantile(waited, 0.9)),
        },
        join_rate: {
          sessions: count(joined.sessions),
          with_outcome: share(joined.joined, joined.sessions),
        },
        volume_versus_power: {
          calls_per_day: mean(power.callsPerDay),
          pairs_per_day: mean(power.pairsPerDay),
          pairs_needed: exact(power.pairsNeeded),
          days_to_verdict: mean(power.daysToVerdict),
        },
        estimators: evidenceModes.map(evidenceMode => {
          const reason = ineligibleReason(evidenceMode, {
            isInactive: said !== undefined && (said.archived_at !== null || said.paused_at !== null),
            calls: agent.calls + covered.calls,
            daysToVerdict:
              power.callsPerDay === null ? null : (power.daysToVerdict?.value ?? Number.POSITIVE_INFINITY),
            sessionCalls: covered.session_calls,
            joinedSessions: joined.joined,
          });
          return { evidence_mode: evidenceMode, is_eligible: reason === null, reason };
        }),
        blocked_proposals: (reasons.get(agent.agent_id) ?? []).map(({ reason, proposals }) => ({
          reason,
          proposals: count(proposals),
        })),
      };
    }),
  };
};

type Mean = NonNullable<ReturnType<typeof volumeVersusPower>["callsPerDay"]>;

/** Of sorted values; null: there are none. */
function quantile(sorted: readonly number[], fraction: number): number | null {
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)] ?? null;
}
