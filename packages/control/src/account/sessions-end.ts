import { fail } from "@tollgate/core/errors";
import type { Handler } from "../kernel/handler.ts";
import { requirePerson } from "./require-person.ts";

export const accountSessionsEnd: Handler<"account.sessions.end"> = async ({ actor, accounts }, { id }) => {
  const { userId } = requirePerson(actor);
  if (!(await accounts.endSession(userId, id))) throw fail("not_found", "There is no such session");
};
