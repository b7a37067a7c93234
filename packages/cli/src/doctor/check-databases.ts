import { existsSync } from "node:fs";
import { basename } from "node:path";
import { checkDatabase } from "@tollgate/storage/backup/check-database";
import type { Check } from "./finding.ts";

export const checkDatabases: Check = {
  name: "integrity",
  run({ files, depth }, say) {
    for (const path of [files.ledger, files.control]) {
      if (!existsSync(path)) continue;
      const name = basename(path);
      try {
        const findings = checkDatabase(path, depth);
        if (findings.length === 0)
          say("ok", `${name} is sound${depth === "full" ? "" : " (--full checks more)"}`);
        else say("error", `${name} is damaged, restore a backup: ${findings.slice(0, 3).join("; ")}`);
      } catch (fault) {
        say("error", fault instanceof Error ? fault.message : String(fault));
      }
    }
  },
};
