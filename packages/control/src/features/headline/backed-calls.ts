import { envelope } from "@tollgate/core/contract/fields/envelope";
import { withoutProvider } from "@tollgate/core/suggestions/switched-saving";
import type { BackedSwitch } from "@tollgate/core/verification/verified-savings";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { z } from "zod";
import type { Context } from "../../kernel/context.ts";
import type { Effect } from "./read-effects.ts";

/** The parts of a verdict's result that are read here. */
const stored = z.object({ savings: z.object({ per_call_microcents: envelope }) });

interface Backed {
  /** One element per verdict. */
  readonly backed: readonly BackedSwitch[];
  /** Calls backed by a verdict whose saving, or their own, is unknown. */
  readonly unknownCalls: number;
}

/** Switched calls with an unexpired verdict that holds, for their agent or for all. Each call counts for one verdict. */
export async function backedCalls(
  context: Pick<Context, "db" | "scope" | "now">,
  effects: readonly Effect[],
): Promise<Backed> {
  const switches = effects.filter(effect => effect.type === "model_switch");
  if (switches.length === 0) return { backed: [], unknownCalls: 0 };
  const verdicts = await readHolding(context);
  const byVerdict = Map.groupBy(switches, effect =>
    verdicts.find(
      ({ agentId, from, to }) =>
        (agentId === null || agentId === effect.agentId) &&
        from === effect.askedModel &&
        to === effect.switchedTo,
    ),
  );
  const backed: BackedSwitch[] = [];
  let unknownCalls = 0;
  for (const [verdict, its] of byVerdict) {
    if (verdict === undefined) continue;
    const { value, ci_low: low, ci_high: high } = verdict.perCall;
    const priced = its.filter(({ pricedCalls }) => pricedCalls > 0);
    for (const { calls, pricedCalls } of its) unknownCalls += value === null ? calls : calls - pricedCalls;
    if (value === null || priced.length === 0) continue;
    backed.push({
      perCall: { value, low, high },
      effects: priced.map(({ pricedCalls, savedMicrocents }) => ({ calls: pricedCalls, savedMicrocents })),
    });
  }
  return { backed, unknownCalls };
}

/** An agent's own before those of all agents, then the newest first. */
async function readHolding({ db, scope, now }: Pick<Context, "db" | "scope" | "now">) {
  const rows = await db
    .selectFrom("verdicts")
    .select(["agent_id", "prod_model", "candidate_model", "result"])
    .where(inScope(scope))
    .where("task_category", "is", null)
    .where("verdict", "in", ["holds", "holds_with_warning"])
    .where("expires_at", ">", now())
    .where("invalidated_at", "is", null)
    .orderBy("concluded_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return rows
    .map(row => ({
      agentId: row.agent_id,
      from: withoutProvider(row.prod_model),
      to: withoutProvider(row.candidate_model),
      perCall: stored.parse(JSON.parse(row.result)).savings.per_call_microcents,
    }))
    .toSorted((a, b) => Number(a.agentId === null) - Number(b.agentId === null));
}
