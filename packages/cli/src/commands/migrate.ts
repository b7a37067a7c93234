import { resolve } from "node:path";
import { nameOfDatabase } from "@tollgate/storage/engine/name-of-database";
import type { Config } from "../config/config.ts";
import { UsageError } from "../config/usage-error.ts";
import type { Migrated } from "../migrate/migrated.ts";
import { showAmount } from "../output/show-amount.ts";
import type { Command, CommandResult } from "./command.ts";
import { requireOption } from "./command-options.ts";

export const migrate: Command = {
  name: "migrate",
  usage: "--to URL|DIR",
  summary:
    "copies this stopped installation to an empty PostgreSQL, or from PostgreSQL into an empty data directory, and verifies the copy; run again, it continues where it was interrupted",
  options: { to: { type: "string" } },
  run(input) {
    const { config, note } = input;
    const to = requireOption(input, "to");
    if (/^postgres(ql)?:\/\//.test(to) && URL.canParse(to)) return toPostgres(config, to, note);
    if (/^[a-z]+:/.test(to)) {
      throw new UsageError(
        "--to must be a directory, or a PostgreSQL: postgres://USER:PASSWORD@HOST/DATABASE",
      );
    }
    return toDirectory(config, resolve(to), note);
  },
};

async function toPostgres(config: Config, url: string, note: (text: string) => void): Promise<CommandResult> {
  if (config.databaseUrl !== null) {
    throw new UsageError(
      "this installation is in PostgreSQL already: unset SVC_DATABASE_URL to migrate a data directory",
    );
  }
  const { migrateToPostgres } = await import("../migrate/migrate-to-postgres.ts");
  const migrated = await migrateToPostgres({ config, url, note });
  return {
    value: { data_directory: config.dataDir, database: nameOfDatabase(url), ...migrated },
    text: [
      `${config.dataDir} is now in ${nameOfDatabase(url)}${inWords(migrated)}`,
      ...notCompared(migrated),
      "Next, set SVC_DATABASE_URL to the address that you gave as --to, and start with the same SVC_DATA_DIR.",
      "ledger.db stays there and is still needed.",
      `${migrated.kept} is the former control.db; nothing uses it any more.`,
    ].join("\n"),
  };
}

async function toDirectory(
  config: Config,
  target: string,
  note: (text: string) => void,
): Promise<CommandResult> {
  if (config.databaseUrl === null) {
    throw new UsageError("set SVC_DATABASE_URL to migrate from PostgreSQL into a data directory");
  }
  if (config.role === "gateway") {
    throw new UsageError("a gateway has only its own events: migrate on a control plane (SVC_ROLE=control)");
  }
  const { migrateToDirectory } = await import("../migrate/migrate-to-directory.ts");
  const migrated = await migrateToDirectory({ config, url: config.databaseUrl, target, note });
  return {
    value: { data_directory: target, database: migrated.kept, ...migrated },
    text: [
      `${migrated.kept} is now in ${target}${inWords(migrated)}`,
      ...notCompared(migrated),
      `Next, unset SVC_DATABASE_URL and SVC_ROLE, and start with SVC_DATA_DIR=${target}.`,
      ...(config.secret === null ? [] : ["Keep SVC_SECRET, so that sessions stay valid."]),
      "The database was not changed; nothing uses it any more.",
    ].join("\n"),
  };
}

function inWords({ rows, events, total_microcents: live, test_total_microcents: test }: Migrated): string {
  if (rows === null || live === null || test === null) return "";
  return `: ${rows} rows and ${events} events, ${showAmount(live)} live, ${showAmount(test)} test, verified`;
}

function notCompared({ not_compared: tables }: Migrated): string[] {
  if (tables === null || tables.length === 0) return [];
  return [
    `Copied, but not recomputed: ${tables.join(", ")}; since an upgrade, Tollgate is still filling these sums, and goes on when it is started.`,
  ];
}
