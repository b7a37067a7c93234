import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { Handler } from "../kernel/handler.ts";
import { requirePerson } from "./require-person.ts";

const MOST_SESSIONS = 100;
const LONGEST_AGENT = 512;

export const accountSessionsList: Handler<"account.sessions.list"> = async ({ actor, accounts }) => {
  const { userId, sessionId } = requirePerson(actor);
  const sessions = await accounts.sessions(userId);
  return {
    sessions: sessions.slice(0, MOST_SESSIONS).map(session => ({
      id: session.id,
      current: session.id === sessionId,
      user_agent: session.userAgent?.slice(0, LONGEST_AGENT) ?? null,
      created_at: toIsoTime(session.createdAt),
      expires_at: toIsoTime(session.expiresAt),
    })),
  };
};
