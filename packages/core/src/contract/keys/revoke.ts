import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const keysRevoke = operation({
  id: "keys.revoke",
  method: "DELETE",
  path: "/api/keys/:id",
  summary: "Revoke an API key; it is refused from now on",
  params: idParams,
  status: 204,
  scope: "write",
  role: "admin",
});
