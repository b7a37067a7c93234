import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { verificationPolicy } from "@tollgate/core/contract/verification";
import { fail } from "@tollgate/core/errors";
import { builtInPolicies, type VerificationPolicy } from "@tollgate/core/verification/trial-plan";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { ControlDb, ControlSchema } from "@tollgate/storage/database/schema";
import type { Selectable } from "kysely";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";
import { notFound } from "../../kernel/not-found.ts";

type PolicyRow = Selectable<ControlSchema["verification_policies"]>;
export type Policy = z.infer<typeof verificationPolicy>;

/** Callers keep these in their configuration: they never change. */
const builtInIds: Readonly<Record<string, string>> = {
  quick: "5b0f6c1e-9d4a-4c52-8f6e-3a1d7c20b901",
  standard: "5b0f6c1e-9d4a-4c52-8f6e-3a1d7c20b902",
};

export const defaultPolicy = toBuiltIn(builtInPolicies[0], 0);
const builtIn: readonly Policy[] = builtInPolicies.map(toBuiltIn);

function toBuiltIn(policy: VerificationPolicy, index: number): Policy {
  const { sample_share, ...fields } = policy;
  const id = builtInIds[policy.name];
  if (id === undefined) throw new Error(`the built-in policy ${policy.name} has no id`);
  return {
    id,
    is_built_in: true,
    is_default: index === 0,
    ...fields,
    share_pct: Math.round(sample_share * 100),
    created_at: null,
    updated_at: null,
  };
}

export async function listPolicies({ db, scope }: Context): Promise<Policy[]> {
  const rows = await db
    .selectFrom("verification_policies")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return [...builtIn, ...rows.map(toPolicy)];
}

export async function findPolicy(context: Context, id: string): Promise<Policy> {
  return builtIn.find(policy => policy.id === id) ?? toPolicy(await findOwnPolicy(context, id));
}

/** A policy that may be changed. */
export async function findOwnPolicy({ db, scope }: Context, id: string): Promise<PolicyRow> {
  if (builtIn.some(policy => policy.id === id)) {
    throw fail("invalid_request", "Built-in policies cannot be changed; create one of your own");
  }
  const row = await db
    .selectFrom("verification_policies")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("policy");
  return row;
}

/** People choose policies by name, so names are unique. `exceptId` may keep its own. */
export async function refuseTakenName(
  db: ControlDb,
  orgId: string,
  name: string,
  exceptId: string | null,
): Promise<void> {
  const rows = await db
    .selectFrom("verification_policies")
    .select("id")
    .where("org_id", "=", orgId)
    .where("name", "=", name)
    .execute();
  const isTaken = builtIn.some(policy => policy.name === name) || rows.some(({ id }) => id !== exceptId);
  if (isTaken) throw fail("invalid_request", "name: there is a policy of this name already");
}

export function toPolicy(row: PolicyRow): Policy {
  const { org_id: _org, created_at, updated_at, ...fields } = fromRow("verification_policies", row);
  return {
    ...fields,
    is_built_in: false,
    is_default: false,
    created_at: toIsoTime(created_at),
    updated_at: toIsoTime(updated_at),
  };
}
