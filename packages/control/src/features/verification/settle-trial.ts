import { conclusionOf } from "@tollgate/core/verification/conclude";
import type { RequestEndReason } from "@tollgate/core/verification/vocabulary";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { Control } from "../../kernel/context.ts";
import { concludeRequest, endWithoutVerdict, type Finding } from "./end-request.ts";
import { productionUsage } from "./production-usage.ts";
import type { RequestRow } from "./request-row.ts";
import { switchedSince } from "./switched-since.ts";
import type { TrialEvidence } from "./trial-evidence.ts";
import { categoryResultOf, resultOf } from "./verdict-result.ts";

/**
 * Ends a request whose trial has ended; one whose trial continues is not changed. `exhausted` is what was used up, if
 * the trial ends without a decision.
 */
export async function settleTrial(
  transaction: ControlDb,
  parts: Pick<Control, "engine" | "newId" | "catalogue">,
  request: RequestRow,
  { plan, trial, dataThroughMs }: TrialEvidence,
  { at, exhausted }: { readonly at: number; readonly exhausted: "max_pairs" | "time" | "spend" },
): Promise<boolean> {
  const { end } = trial;
  if (end === null) return false;
  if (await switchedSince(transaction, request)) {
    await endWithoutVerdict(transaction, request, "switched_meanwhile", at);
    return true;
  }
  const { monthlyCalls, production } = await productionUsage(transaction, parts.engine, request, at);
  const conclusion = conclusionOf(plan, trial, {
    nowMs: at,
    monthlyCalls,
    // Captured pairs belong to other calls.
    ...(request.evidence_mode === "shadow" ? { production } : {}),
  });
  if (conclusion.status !== "concluded" || conclusion.verdict.verdict === "inconclusive") {
    await endWithoutVerdict(transaction, request, reasonOf(end, exhausted), at);
    return true;
  }
  const { verdict } = conclusion;
  const overall: Finding = {
    category: null,
    verdict: conclusion.verdict.verdict,
    result: resultOf(verdict, dataThroughMs),
  };
  const byCategory = verdict.categories.flatMap((found): Finding[] =>
    found.verdict === "inconclusive"
      ? []
      : [
          {
            category: found.category,
            verdict: found.verdict,
            result: categoryResultOf(found, verdict, trial.rows, dataThroughMs),
          },
        ],
  );
  await concludeRequest(transaction, parts, request, [overall, ...byCategory], at);
  return true;
}

function reasonOf(
  end: NonNullable<TrialEvidence["trial"]["end"]>,
  exhausted: "max_pairs" | "time" | "spend",
): Exclude<RequestEndReason, "verdict"> {
  if (end.kind !== "voided" || end.reason === "expired") return exhausted;
  return end.reason;
}
