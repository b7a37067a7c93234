import { fail } from "@tollgate/core/errors";
import { resolveTarget, targetName } from "@tollgate/core/models/resolve-target";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { defaultPolicy, findOwnPolicy, refuseTakenName, toPolicy } from "./policies.ts";

/** People choose from a list of them. */
const MAX_POLICIES = 100;

export const policiesCreate: Handler<"verify.policies.create"> = async (context, input) => {
  const { db, engine, scope } = context;
  const now = context.now();
  const row = {
    id: context.newId(),
    org_id: scope.orgId,
    name: input.name,
    margin: input.margin ?? defaultPolicy.margin,
    max_pairs: input.max_pairs ?? defaultPolicy.max_pairs,
    max_spend_microcents: input.max_spend_microcents ?? defaultPolicy.max_spend_microcents,
    share_pct: input.share_pct ?? defaultPolicy.share_pct,
    judge_model: judgeName(context, input.judge_model ?? null),
    evidence_mode: input.evidence_mode ?? defaultPolicy.evidence_mode,
    created_at: now,
    updated_at: now,
  };
  await db.transaction().execute(async transaction => {
    await lockOrganization(transaction, engine, scope.orgId);
    await refuseTakenName(transaction, scope.orgId, row.name, null);
    const own = await transaction
      .selectFrom("verification_policies")
      .select("id")
      .where("org_id", "=", scope.orgId)
      .limit(MAX_POLICIES)
      .execute();
    if (own.length >= MAX_POLICIES) {
      throw fail("invalid_request", `An organization may have ${MAX_POLICIES} policies of its own`);
    }
    await transaction.insertInto("verification_policies").values(row).execute();
  });
  return toPolicy(row);
};

export const policiesUpdate: Handler<"verify.policies.update"> = async (context, input) => {
  const { db, engine, scope } = context;
  const { id, judge_model, ...said } = input;
  await findOwnPolicy(context, id);
  await db.transaction().execute(async transaction => {
    await lockOrganization(transaction, engine, scope.orgId);
    if (said.name !== undefined) await refuseTakenName(transaction, scope.orgId, said.name, id);
    await transaction
      .updateTable("verification_policies")
      .set({
        ...said,
        ...(judge_model === undefined ? {} : { judge_model: judgeName(context, judge_model) }),
        updated_at: context.now(),
      })
      .where("org_id", "=", scope.orgId)
      .where("id", "=", id)
      .execute();
  });
  return toPolicy(await findOwnPolicy(context, id));
};

export const policiesDelete: Handler<"verify.policies.delete"> = async (context, { id }) => {
  await findOwnPolicy(context, id);
  await context.db
    .deleteFrom("verification_policies")
    .where("org_id", "=", context.scope.orgId)
    .where("id", "=", id)
    .execute();
};

/** Resolved as the gateway routes it, so that an unknown judge is an error now, not at the first verification. */
function judgeName({ catalogue, now }: Context, asked: string | null): string | null {
  if (asked === null) return null;
  return targetName(resolveTarget("judge_model", asked, catalogue, new Date(now())), catalogue);
}
