import { membersInvite } from "./invite.ts";
import { membersList } from "./list.ts";
import { membersRemove } from "./remove.ts";
import { membersUpdate } from "./update.ts";

export const memberOperations = {
  "members.invite": membersInvite,
  "members.list": membersList,
  "members.remove": membersRemove,
  "members.update": membersUpdate,
} as const;
