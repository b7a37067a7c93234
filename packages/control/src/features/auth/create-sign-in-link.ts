import { fail } from "@tollgate/core/errors";
import type { Identity } from "./create-identity.ts";
import { memberAccount } from "./member-account.ts";

/**
 * A link works once and ends the person's previous password. If several accounts have the address, it is for the one
 * in `orgId`, otherwise for the first.
 */
export async function createSignInLink(
  identity: Identity,
  email: string,
  options: { readonly orgId?: string; readonly validMs?: number } = {},
): Promise<string> {
  const userId = await memberAccount(identity, options.orgId ?? "", email);
  const { accounts } = identity;
  if (userId === undefined && !accounts.external) {
    throw fail("not_found", "Nobody has an account with this address");
  }
  return await accounts.signInLink(userId ?? "", options.validMs);
}
