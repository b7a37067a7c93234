import { existsSync } from "node:fs";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { UsageError } from "../config/usage-error.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { refuseWhileRunning } from "../data-directory/open-store.ts";
import type { Command } from "./command.ts";

export const ledgerCreate: Command = {
  name: "ledger create",
  usage: "",
  summary: "creates an empty ledger to replace one that is permanently lost",
  options: {},
  run({ config }) {
    const { ledger } = dataFiles(config.dataDir);
    if (existsSync(ledger)) throw new UsageError(`${config.dataDir} already has a ledger`);
    refuseWhileRunning(config, "ledger.db");
    if (!existsSync(config.dataDir)) throw new UsageError(`${config.dataDir} does not exist`);
    new Ledger(ledger, "full").close();
    return { value: { ledger }, text: `created an empty ledger: ${ledger}` };
  },
};
