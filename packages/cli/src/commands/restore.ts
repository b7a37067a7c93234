import { resolve } from "node:path";
import type { Command } from "./command.ts";

export const restore: Command = {
  name: "restore",
  usage: "DIR",
  argument: "the directory of the backup",
  summary: "checks a backup and copies it into the data directory, which must be empty",
  options: {},
  async run(input) {
    const source = resolve(input.argument);
    const { restoreBackup } = await import("../backup/restore-backup.ts");
    const { dataDir, role } = input.config;
    const manifest = await restoreBackup({ source, dataDir, note: input.note });
    const { newest_seq: newest, open_calls: open } = manifest.ledger;
    return {
      value: { directory: source, data_directory: dataDir, ...manifest },
      text: [
        `${dataDir} was restored to its state at ${manifest.created_at}: events up to ${newest}`,
        ...(open === 0 ? [] : [`${open} calls were in flight: the next start settles them as interrupted`]),
        ...(manifest.control_database === "postgres"
          ? [
              // The dump of one gateway's backup would undo what all others have done since.
              role === "gateway"
                ? "PostgreSQL stays as it is: this gateway ships what PostgreSQL lacks."
                : "Before you start, restore the dump taken just before this backup into PostgreSQL and set SVC_DATABASE_URL.",
            ]
          : []),
      ].join("\n"),
    };
  },
};
