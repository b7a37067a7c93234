import type { memberOperations } from "@tollgate/core/contract/members";
import type { Handlers } from "../kernel/handler.ts";
import { membersInvite } from "./invite.ts";
import { membersList } from "./list.ts";
import { membersRemove } from "./remove.ts";
import { membersUpdate } from "./update.ts";

export const memberHandlers: Handlers<typeof memberOperations> = {
  "members.invite": membersInvite,
  "members.list": membersList,
  "members.remove": membersRemove,
  "members.update": membersUpdate,
};
