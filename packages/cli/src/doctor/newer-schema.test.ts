import { expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { CONTROL_VERSION } from "@tollgate/storage/database/migrate-control";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { sql } from "kysely";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { readConfig } from "../config/config.ts";
import { writePostgresMark } from "../data-directory/control-database.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { loadOrCreateNodeId } from "../data-directory/load-or-create-node-id.ts";
import { examine } from "./examine.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();

it("calls a PostgreSQL of a newer version a warning on gateways that may go on with it, and an error elsewhere", async () => {
  const place = await databases.place("postgres");
  if (place.kind !== "postgres") throw new Error("not PostgreSQL");
  const database = await openControlDatabase(place);
  const found = async (role: "gateway" | "control", oldestGateway: number) => {
    await sql`UPDATE schema_version SET version = ${CONTROL_VERSION + 1}, oldest_gateway = ${oldestGateway}`.execute(
      database.db,
    );
    const dataDir = inFolder(`${role}-${oldestGateway}`);
    mkdirSync(dataDir, { mode: 0o700 });
    const config = readConfig({
      SVC_DATA_DIR: dataDir,
      SVC_ROLE: role,
      SVC_DATABASE_URL: place.url,
      ...(role === "control" && { SVC_SECRET: "a secret that is long enough for every test" }),
    });
    const files = dataFiles(dataDir);
    await new Ledger(files.ledger, "normal").close();
    if (role === "gateway") loadOrCreateNodeId(config);
    writePostgresMark(config);
    const patient = { config, files, running: null, nowMs: 0, freeBytes: null, depth: "quick" } as const;
    return (await examine(patient))
      .filter(({ check, level }) => ["start", "readers", "deliveries"].includes(check) && level !== "ok")
      .map(({ check, level, message }) => `${check}: ${level}: ${message}`);
  };
  expect(await found("gateway", CONTROL_VERSION)).toEqual([
    expect.stringMatching(/^start: warning: a newer version .* lets gateways of this version go on/),
  ]);
  const refused = expect.stringMatching(/^start: error: .*it was written by a newer Tollgate/);
  expect(await found("gateway", CONTROL_VERSION + 1)).toContainEqual(refused);
  expect(await found("control", CONTROL_VERSION)).toContainEqual(refused);
  await database.close();
});
