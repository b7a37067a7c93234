import type { Account } from "../kernel/accounts.ts";
import type { BetterAuth } from "./better-auth.ts";
import { toAccount } from "./stored-accounts.ts";

export interface ReadSession {
  readonly account: Account;
  readonly sessionId: string;
  readonly isVouchedFor: boolean;
  /** A session that is used lives on: the browser has to be told. */
  readonly setCookies: readonly string[];
}

/**
 * The session of a cookie that we signed, that is not over, and that nobody has ended. Somebody's request makes it
 * live on; a look of our own does not.
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
    isVouchedFor: user.emailVerified,
    setCookies: headers.getSetCookie(),
  };
}
