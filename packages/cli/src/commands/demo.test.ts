import { expect, it } from "bun:test";
import { mkdirSync } from "node:fs";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { readConfig } from "../config/config.ts";
import { becomeInstance } from "../data-directory/instance.ts";
import { demo } from "./demo.ts";

const folder = temporaryFolder();

it("tells an instance that has no addresses yet from none: starting a second one would be refused", async () => {
  const dataDir = folder("starting");
  mkdirSync(dataDir);
  const run = async () =>
    await demo.run({
      config: readConfig({ SVC_DATA_DIR: dataDir }),
      options: {},
      argument: "",
      note: () => {},
    });
  await expect(run()).rejects.toThrow("Tollgate is not running: start it first");
  const release = becomeInstance(dataDir);
  try {
    await expect(run()).rejects.toThrow("Tollgate is starting or stopping: try again in a moment");
  } finally {
    release();
  }
});
