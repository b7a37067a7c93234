import { fail } from "@tollgate/core/errors";
import { refuseCommonPassword } from "../auth/refuse-common-password.ts";
import type { Handler } from "../kernel/handler.ts";
import { requirePerson } from "./require-person.ts";

export const accountSetPassword: Handler<"account.set_password"> = async ({ actor, accounts }, input) => {
  const { userId, email, sessionId } = requirePerson(actor);
  if (accounts.external) throw fail("invalid_request", "People sign in at the identity provider here");
  if (await accounts.hasPassword(userId)) {
    const current = input.current_password;
    if (current === undefined) throw fail("invalid_request", "current_password: is required");
    const isRight = await accounts.isPassword({ id: userId, email, name: "" }, current);
    // 400, not 401: the session is valid, and a client must not treat it as ended.
    if (!isRight) throw fail("invalid_request", "current_password: is wrong");
  }
  refuseCommonPassword(input.password, email);
  await accounts.setPassword(userId, input.password);
  await accounts.endOtherSessions(userId, sessionId);
};
