import type { accountOperations } from "@tollgate/core/contract/account";
import type { Handlers } from "../kernel/handler.ts";
import { accountAcceptInvitation } from "./accept-invitation.ts";
import { accountGet } from "./get.ts";
import { accountSessionsEnd } from "./sessions-end.ts";
import { accountSessionsList } from "./sessions-list.ts";
import { accountSetPassword } from "./set-password.ts";

export const accountHandlers: Handlers<typeof accountOperations> = {
  "account.accept_invitation": accountAcceptInvitation,
  "account.get": accountGet,
  "account.sessions.end": accountSessionsEnd,
  "account.sessions.list": accountSessionsList,
  "account.set_password": accountSetPassword,
};
