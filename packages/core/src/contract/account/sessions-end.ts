import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const accountSessionsEnd = operation({
  id: "account.sessions.end",
  method: "DELETE",
  path: "/api/account/sessions/:id",
  summary: "Sign out somewhere else",
  params: idParams,
  status: 204,
  scope: "write",
  role: "viewer",
  isForPeople: true,
});
