import { resolve } from "node:path";
import { megabytes } from "../backup/report-progress.ts";
import type { Command } from "./command.ts";

export const backup: Command = {
  name: "backup",
  usage: "DIR",
  argument: "the directory of the backup",
  summary: "writes a consistent copy of everything into an empty directory, even while Tollgate is running",
  options: {},
  async run(input) {
    const target = resolve(input.argument);
    const { takeBackup } = await import("../backup/take-backup.ts");
    const { GATEWAY_VERSION } = await import("@tollgate/gateway/version");
    const { config, note } = input;
    const { dataDir } = config;
    const manifest = await takeBackup({ dataDir, target, version: GATEWAY_VERSION, nowMs: Date.now(), note });
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    const { newest_seq: newest, open_calls: open } = manifest.ledger;
    const missing = [
      ...(manifest.control_database === "postgres"
        ? [
            `the PostgreSQL database: organizations, keys, budgets, members and everything derived. ${
              config.role === "gateway"
                ? "Back it up on its own: it also has what the other gateways shipped"
                : "Dump it with pg_dump BEFORE each `svc backup`, and keep the two together"
            }`,
          ]
        : []),
      ...(config.secret === null ? [] : ["SVC_SECRET"]),
      ...(config.priceOverrides === null ? [] : ["the file that SVC_PRICES_FILE names"]),
    ];
    return {
      value: { directory: target, bytes, ...manifest, not_contained: missing },
      text: [
        `${target}: ${megabytes(bytes)}, events up to ${newest}, ${open} calls in flight`,
        ...missing.map(what => `NOT included: ${what}`),
      ].join("\n"),
    };
  },
};
