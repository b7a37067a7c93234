import { expect, it } from "bun:test";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { controlDatabases } from "../../../../../test/support/labs/control-databases.ts";
import { addDemo } from "./add-demo.ts";
import { DemoProgress } from "./demo-progress.ts";
import { findDemo } from "./demo-row.ts";

const databases = controlDatabases();

it("counts the same calls while a demo is being added and when it is ready: those of the ledger", async () => {
  const database = await databases.open("sqlite");
  const { db, engine } = database;
  const now = () => 1000;
  const { id: homeOrgId } = await ControlStore.over(database).createOrganization("home", "pro", now());
  const demo = await addDemo({ db, engine, now }, { homeOrgId, by: "cli", member: null });
  await db.updateTable("demos").set({ runner: "me" }).execute();
  let calls = 0;
  const progress = new DemoProgress({ db, now }, demo, "me", () => calls);
  const stored = async () => {
    const { status, done_calls, total_calls } = (await findDemo(db, demo.org_id)) ?? demo;
    return [status, done_calls, total_calls];
  };
  progress.expect(100);
  calls = 40;
  await progress.store();
  expect(await stored()).toEqual(["adding", 40, 100]);
  calls = 110;
  await progress.store();
  expect(await stored()).toEqual(["adding", 110, 110]);
  await progress.finish(null);
  expect(await stored()).toEqual(["ready", 110, 110]);
});
