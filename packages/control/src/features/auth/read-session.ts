import type { Account } from "../../kernel/accounts.ts";
import type { BetterAuth } from "./better-auth.ts";
import { toAccount } from "./stored-accounts.ts";

export interface ReadSession {
  readonly account: Account;
  readonly sessionId: string;
  readonly createdAtMs: number;
  readonly isVouchedFor: boolean;
  /** Using a session extends it; these headers extend the cookie too. */
  readonly setCookies: readonly string[];
}

/**
 * The session of a cookie that we signed, if it has neither expired nor been ended. A person's request extends it;
 * our own recheck does not.
 */
export async function readSession(
  auth: BetterAuth,
  request: Request,
  isRecheck = false,
): Promise<ReadSession | null> {
  const cookie = request.headers.get("cookie");
  if (cookie === null) return null;
  const { response, headers } = await auth.api.getSession({
    headers: new Headers({ cookie }),
    ...(isRecheck ? { query: { disableRefresh: true } } : {}),
    returnHeaders: true,
  });
  if (!response) return null;
  const { user, session } = response;
  return {
    account: toAccount(user),
    sessionId: session.id,
    createdAtMs: new Date(session.createdAt).getTime(),
    isVouchedFor: user.emailVerified,
    setCookies: headers.getSetCookie(),
  };
}
