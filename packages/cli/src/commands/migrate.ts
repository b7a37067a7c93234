import { type Command, requireOption, UsageError } from "../command.ts";
import { showAmount } from "../show-amount.ts";

export const migrate: Command = {
  name: "migrate",
  usage: "--to URL",
  summary:
    "copies this stopped installation to an empty PostgreSQL and verifies the copy; run again, it continues where it was interrupted",
  options: { to: { type: "string" } },
  async run(input) {
    const { config, note } = input;
    const to = requireOption(input, "to");
    if (!/^postgres(ql)?:\/\//.test(to) || !URL.canParse(to)) {
      throw new UsageError(
        "--to must be the address of a PostgreSQL: postgres://USER:PASSWORD@HOST/DATABASE",
      );
    }
    if (config.databaseUrl !== null) {
      throw new UsageError(
        "this installation is in PostgreSQL already: unset SVC_DATABASE_URL to migrate a data directory",
      );
    }
    const { migrateToPostgres } = await import("../migrate/migrate-to-postgres.ts");
    const { nameOfDatabase } = await import("../migrate/hold-database.ts");
    const migrated = await migrateToPostgres({ config, url: to, note });
    const { rows, events, total_microcents: total } = migrated;
    return {
      value: { data_directory: config.dataDir, database: nameOfDatabase(to), ...migrated },
      text: [
        rows === null || total === null
          ? `${config.dataDir} is now in ${nameOfDatabase(to)}`
          : `${config.dataDir} is now in ${nameOfDatabase(to)}: ${rows} rows and ${events} events, ${showAmount(total)} live, verified`,
        "Next, set SVC_DATABASE_URL to the address that you gave as --to, and start with the same SVC_DATA_DIR.",
        "ledger.db stays there and is still needed.",
        `${migrated.kept} is the former control.db; nothing uses it any more.`,
      ].join("\n"),
    };
  },
};
