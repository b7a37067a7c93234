import { expect, it } from "bun:test";
import { beginPosition } from "@tollgate/storage/following/stored-position";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { freshPostgres } from "../../../../test/support/servers/postgres.ts";
import { readConfig } from "../config/config.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { prepareControlStore, withControlStore } from "../data-directory/open-store.ts";
import { migrate } from "./migrate.ts";

const inFolder = temporaryFolder();

it("REL-005 says which sums it has not recomputed because an upgrade is still filling them, there and back", async () => {
  const postgres = await freshPostgres();
  const dataDir = inFolder("data");
  const config = readConfig({ SVC_DATA_DIR: dataDir });
  await prepareControlStore(config);
  await new Ledger(dataFiles(dataDir).ledger, "normal").close();
  await withControlStore(config, ({ database }) =>
    beginPosition(database.db, "read-model:refill-0048", LEDGER_START),
  );
  const moved = {
    value: { not_compared: ["customer_weeks", "agent_version_days"] },
    text: expect.stringContaining("not recomputed: customer_weeks, agent_version_days"),
  };
  const run = async (settings: Record<string, string>, to: string) =>
    await migrate.run({
      config: readConfig({ SVC_DATA_DIR: dataDir, ...settings }),
      argument: "",
      options: { to },
      note: () => {},
    });
  expect(await run({}, postgres.url)).toMatchObject(moved);
  expect(await run({ SVC_DATABASE_URL: postgres.url }, inFolder("back"))).toMatchObject(moved);
  await postgres.drop();
});
