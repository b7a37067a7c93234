import type { InputOf } from "@tollgate/core/contract/operation";
import type { verificationOperations } from "@tollgate/core/contract/verification";
import { fail } from "@tollgate/core/errors";
import type { Handler } from "../../kernel/handler.ts";
import type { NewPair, PairCall } from "./pair-row.ts";
import { evidenceSoFar, readProgress, writeProgress } from "./progress.ts";
import { findRequest, lockRequest } from "./request-row.ts";
import { settleTrial } from "./settle-trial.ts";
import { TrialEvidence } from "./trial-evidence.ts";

type Sent = InputOf<(typeof verificationOperations)["verify.requests.add_pairs"]>["pairs"][number];

/** Pairs that the organization graded itself: counted in the order in which they are sent, each once. */
export const requestsAddPairs: Handler<"verify.requests.add_pairs"> = async (context, { id, pairs }) => {
  const { db, engine } = context;
  const now = context.now();
  const request = await findRequest(context, id);
  if (request.evidence_mode !== "captured") {
    throw fail("invalid_request", `This verification's evidence is ${request.evidence_mode}, not captured`);
  }
  const result = await db.transaction().execute(async transaction => {
    const row = await lockRequest(transaction, engine, request.id);
    if (row === null) throw new Error(`verification ${request.id} is gone`);
    if (row.status === "queued") {
      throw fail("invalid_request", "This verification is queued: send pairs when it is collecting");
    }
    const evidence = await TrialEvidence.load(transaction, row.id);
    const outcomes = pairs.map(pair => evidence.add(toPair(pair, now)));
    const added = outcomes.filter(outcome => outcome !== "known").length;
    if (row.status !== "collecting" && added > 0) {
      throw fail("invalid_request", "This verification has ended and accepts no more pairs");
    }
    await evidence.write(transaction, row.id);
    if (row.status === "collecting") {
      await settleTrial(transaction, context, row, evidence, { at: now, exhausted: "max_pairs" });
      const { pairs: counted, controls, ...state } = evidenceSoFar(evidence);
      const before = await readProgress(transaction, row.id);
      await writeProgress(
        transaction,
        row.id,
        { ...before, pairs: counted, controls, state: { ...before.state, ...state } },
        now,
      );
    }
    return {
      added,
      known: outcomes.length - added,
      uncounted: outcomes.filter(outcome => outcome === "uncounted").length,
    };
  });
  const { status } = await findRequest(context, id);
  return { ...result, status };
};

function toPair(sent: Sent, now: number): NewPair {
  return {
    pair_id: sent.id,
    kind: sent.kind,
    session_id: sent.session_id ?? null,
    category: sent.category,
    score: sent.score,
    grader: "captured",
    prod: toCall(sent.production),
    candidate: toCall(sent.candidate),
    judge_microcents: 0,
    created_at: now,
  };
}

function toCall(sent: Sent["production"]): PairCall {
  return { ...sent, input_tokens: null, output_tokens: null };
}
