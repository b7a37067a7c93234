import { expect, it } from "bun:test";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { NodeRegister } from "./node-register.ts";

const databases = controlDatabases();

function openRegister(database: ControlDatabase, host: string) {
  const namesakes: string[] = [];
  const register = new NodeRegister(
    database,
    { id: "node", host, version: "1" },
    () => 0,
    () => {},
    () => {},
    other => namesakes.push(other),
  );
  const report = async () => {
    // PostgreSQL counts milliseconds: two reports in one would look alike.
    await Bun.sleep(2);
    await register.report();
  };
  return { report, namesakes };
}

it("tells both of two processes that report under one name, each the host of the other", async () => {
  const database = await databases.open("postgres");
  const [one, other] = [openRegister(database, "one"), openRegister(database, "other")];
  for (let round = 0; round < 3; round++) for (const { report } of [one, other]) await report();
  expect([one.namesakes, other.namesakes]).toEqual([["other"], ["one"]]);
});

it("takes neither a restarted process nor a report whose answer was lost for another one", async () => {
  const database = await databases.open("postgres");
  const [before, after] = [openRegister(database, "host"), openRegister(database, "host")];
  await before.report();
  await before.report();
  for (let round = 0; round < 2; round++) {
    await after.report();
    await after.report();
    await database.db
      .updateTable("nodes")
      .set(({ eb }) => ({ last_seen_at: eb("last_seen_at", "+", 1) }))
      .execute();
  }
  await after.report();
  expect([before.namesakes, after.namesakes]).toEqual([[], []]);
});
