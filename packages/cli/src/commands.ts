import { backup } from "./commands/backup.ts";
import type { Command } from "./commands/command.ts";
import { demo } from "./commands/demo.ts";
import { demoRemove } from "./commands/demo-remove.ts";
import { doctor } from "./commands/doctor.ts";
import { eventCost } from "./commands/event-cost.ts";
import { keyCreate } from "./commands/key-create.ts";
import { keyList } from "./commands/key-list.ts";
import { keyRevoke } from "./commands/key-revoke.ts";
import { ledgerCreate } from "./commands/ledger-create.ts";
import { ledgerTail } from "./commands/ledger-tail.ts";
import { ledgerVerify } from "./commands/ledger-verify.ts";
import { migrate } from "./commands/migrate.ts";
import { nodes } from "./commands/nodes.ts";
import { nodesRemove } from "./commands/nodes-remove.ts";
import { orgCreate } from "./commands/org-create.ts";
import { orgList } from "./commands/org-list.ts";
import { orgUpdate } from "./commands/org-update.ts";
import { pricesList } from "./commands/prices-list.ts";
import { pricesRerate } from "./commands/prices-rerate.ts";
import { restore } from "./commands/restore.ts";
import { userCreate } from "./commands/user-create.ts";
import { userLink } from "./commands/user-link.ts";
import { userList } from "./commands/user-list.ts";
import { verificationBalance } from "./commands/verification-balance.ts";
import { verificationGrant } from "./commands/verification-grant.ts";

export const commands: readonly Command[] = [
  orgCreate,
  orgUpdate,
  orgList,
  keyCreate,
  keyRevoke,
  keyList,
  userCreate,
  userList,
  userLink,
  verificationGrant,
  verificationBalance,
  pricesList,
  pricesRerate,
  ledgerTail,
  ledgerVerify,
  backup,
  restore,
  migrate,
  doctor,
  eventCost,
  ledgerCreate,
  // Before `nodes`, which is the beginning of its name.
  nodesRemove,
  nodes,
  // Before `demo`, which is the beginning of its name.
  demoRemove,
  demo,
];
