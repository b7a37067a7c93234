import type { Identity } from "./create-identity.ts";

/** Signs in once, then it is spent; a password that the person had before ends with it. */
export async function createSignInLink(identity: Identity, email: string, validMs?: number): Promise<string> {
  return await identity.accounts.signInLink(email, validMs);
}
