import type { OrganizationFlag } from "@tollgate/core/contract/organization";
import { fail } from "@tollgate/core/errors";
import type { Context } from "./context.ts";

type Asker = Pick<Context, "db" | "organization">;

async function hasFlag({ db, organization }: Asker, flag: OrganizationFlag): Promise<boolean> {
  const row = await db
    .selectFrom("organizations")
    .select(flag)
    .where("id", "=", organization.id)
    .executeTakeFirst();
  return row?.[flag] === 1;
}

/** Throws 403, or 404, with the next step while the organization has not turned the feature on. */
export async function requireFlag(
  context: Asker,
  flag: OrganizationFlag,
  refusal: "feature_disabled" | "not_found" = "feature_disabled",
): Promise<void> {
  if (await hasFlag(context, flag)) return;
  const step = `An owner turns it on: PATCH /api/organization with {"flags":{"${flag}":true}}, or svc org update ${context.organization.id} --${flag.replaceAll("_", "-")} on`;
  throw fail(refusal, `The feature flag ${flag} is off for this organization. ${step}`, {
    flag,
    next_step: step,
  });
}
