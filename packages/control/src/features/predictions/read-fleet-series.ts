import type { FleetLimits } from "@tollgate/core/predictions/fleet-limits";
import { COMPARED_DAYS } from "@tollgate/core/predictions/recent-days";
import { HOURS_BACK_MS } from "@tollgate/core/predictions/recent-hours";
import type { UsageBucket, UsageSeries } from "@tollgate/core/predictions/usage-series";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { startOfMonth } from "@tollgate/core/time/month";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { SeriesBucket } from "@tollgate/storage/read-model/queries/usage-queries";
import type { Window } from "@tollgate/storage/read-model/window";
import type { Control } from "../../kernel/context.ts";

interface FleetSeries {
  readonly organization: UsageSeries;
  readonly agents: readonly UsageSeries[];
}

type Reader = Pick<Control, "readModel">;

/** An agent without calls for this long is inactive. */
export const ACTIVE_MS = 14 * DAY_MS;

/** Time range per query: a few thousand rows for a thousand agents. */
const PIECE_MS = { hour: 4 * HOUR_MS, day: 2 * DAY_MS } as const;

export async function readFleetSeries(
  { readModel }: Reader,
  scope: Scope,
  limits: FleetLimits,
  exceptAgents: ReadonlySet<string>,
  now: number,
): Promise<FleetSeries> {
  const today = startOfDay(now);
  const to = now + 1;
  const days = { from: Math.min(today - COMPARED_DAYS * DAY_MS, startOfMonth(now)), to };
  const hours = { from: startOfDay(now - HOURS_BACK_MS), to };
  const read = (unit: "hour" | "day", of: "agents" | "organization", window: Window) =>
    inTurns(window, PIECE_MS[unit], piece => readModel.usageSeries(scope, unit, piece, of));
  const agentDays = await read("day", "agents", days);
  const agentHours = await read("hour", "agents", hours);
  const slowest = async (agentId?: string) => {
    const isAsked = limits.rules.some(
      rule => rule.metric === "latency_p99" && rule.agentId === (agentId ?? null),
    );
    return isAsked ? { slowest: await readModel.latencyHours(scope, hours, agentId) } : {};
  };
  const agents: UsageSeries[] = [];
  for (const [agentId, ofAgent] of agentDays) {
    if (agentId === null || exceptAgents.has(agentId) || (ofAgent.at(-1)?.at ?? 0) < today - ACTIVE_MS)
      continue;
    agents.push({
      agentId,
      days: ofAgent,
      hours: agentHours.get(agentId) ?? [],
      ...(await slowest(agentId)),
    });
  }
  const organization = {
    agentId: null,
    days: (await read("day", "organization", days)).get(null) ?? [],
    // Further back than the agents' series, to cover the busiest hours of whole weeks.
    hours: (await read("hour", "organization", days)).get(null) ?? [],
    ...(await slowest()),
  };
  return { organization, agents };
}

/** By agent, one time range after another, so that other queries run in between. */
async function inTurns(
  { from, to }: Window,
  pieceMs: number,
  read: (piece: Window) => Promise<SeriesBucket[]>,
): Promise<Map<string | null, UsageBucket[]>> {
  const series = new Map<string | null, UsageBucket[]>();
  for (let at = from; at < to; at += pieceMs) {
    for (const row of await read({ from: at, to: Math.min(at + pieceMs, to) })) {
      const known = series.get(row.agent_id);
      if (known === undefined) series.set(row.agent_id, [row]);
      else known.push(row);
    }
    await Bun.sleep(0);
  }
  return series;
}
