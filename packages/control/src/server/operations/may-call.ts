import { type AnyOperation, roles } from "@tollgate/core/contract/operation";
import { fail } from "@tollgate/core/errors";
import { tierNames, tierTitles } from "@tollgate/core/limits/tiers";
import type { Principal } from "../../kernel/context.ts";
import { tierLimit } from "../../kernel/tier-limit.ts";

/** Checks the key's permission, the role, then the tier. Throws 403 or 402. */
export function mayCall(operation: AnyOperation, principal: Principal, publicUrl: string): void {
  const { actor, organization, scope } = principal;
  if (actor.kind === "key" && operation.scope === "write" && actor.permission !== "write") {
    throw fail("insufficient_scope", "This key may only read; this operation needs a key with scope write");
  }
  if (actor.kind === "key" && scope.mode === "test" && operation.isOrganizationWide === true) {
    throw fail("insufficient_scope", "A key for test traffic cannot do this: it concerns live traffic too");
  }
  if (roles.indexOf(actor.role) < roles.indexOf(operation.role)) {
    const whose = actor.kind === "key" ? "the key's" : "your";
    throw fail("insufficient_role", `This needs the role ${operation.role}; ${whose} role is ${actor.role}`);
  }
  const required = operation.minTier;
  if (required !== undefined && tierNames.indexOf(organization.tier) < tierNames.indexOf(required)) {
    const sentence = `This feature requires the ${tierTitles[required]} tier or higher`;
    throw tierLimit(sentence, required, organization.tier, publicUrl);
  }
}
