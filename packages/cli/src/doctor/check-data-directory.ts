import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { journalPath } from "@tollgate/storage/ledger/intent-journal";
import { unfinishedRestore } from "../backup/unfinished-restore.ts";
import { hasEvents } from "../data-directory/refuse-lost-data.ts";
import { openDataFiles } from "../data-directory/restrict-data-files.ts";
import type { Check } from "./finding.ts";

const WRITABLE_BY_OTHERS = 0o002;

/** Checks that this user can write to it and that no other user can read it. */
export const checkDataDirectory: Check = {
  name: "data directory",
  run({ config: { dataDir }, files }, say) {
    const stat = statSync(dataDir, { throwIfNoEntry: false });
    if (stat === undefined) return say("warning", `${dataDir} does not exist: the first start creates it`);
    if (!isUsable(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)) {
      return say("error", `${dataDir} cannot be read and written by this user`);
    }
    const problems: string[] = [];
    const unusable = readdirSync(dataDir).filter(
      name => !isUsable(join(dataDir, name), constants.R_OK | constants.W_OK),
    );
    if (unusable.length > 0) problems.push(`cannot be read and written by this user: ${unusable.join(", ")}`);
    if ((stat.mode & WRITABLE_BY_OTHERS) !== 0) problems.push(`${dataDir} can be written by every user`);
    if (!existsSync(journalPath(files.ledger)) && unusable.length === 0 && hasEvents(files.ledger)) {
      problems.push(
        "ledger.db-intents is missing, but ledger.db has events: restore it if Tollgate was not stopped cleanly, or the calls that were in flight are not counted; the next start creates a new one",
      );
    }
    if (existsSync(unfinishedRestore(dataDir))) problems.push("a restore into it was not finished");
    for (const problem of problems) say("error", problem);

    const open = openDataFiles(dataDir).map(path => basename(path));
    if (open.length > 0) {
      say("warning", `other users may read ${open.join(", ")}: the next start removes that permission`);
    }
    const user = process.getuid?.();
    if (user !== undefined && stat.uid !== user) {
      say(
        "warning",
        `${dataDir} belongs to user ${stat.uid}, this is user ${user}: run commands as its owner`,
      );
    } else if (problems.length === 0 && open.length === 0) {
      say("ok", `${dataDir}, mode ${(stat.mode & 0o777).toString(8)}, files readable only by their owner`);
    }
  },
};

function isUsable(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
