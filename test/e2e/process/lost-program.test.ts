import { expect, it } from "bun:test";
import { copyFileSync, renameSync } from "node:fs";
import { builtProgram } from "../../../scripts/built-program.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startInTest } from "../../support/processes/start-in-test.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const start = startInTest();

it("a plane that cannot be started again is retried, and the other goes on", async () => {
  const program = folder("tollgate");
  copyFileSync(builtProgram(), program);
  const tollgate = start(folder("data"), {}, [program]);
  const gateway = await tollgate.ready();
  const web = tollgate.addressOf("web");
  renameSync(program, `${program}-away`);
  const control = tollgate.controlPid();
  if (control === null) throw new Error("there is no control plane");
  process.kill(control, "SIGKILL");
  await eventually("the failed start is logged", () =>
    tollgate.stderr.includes("the control could not be started; retrying"),
  );
  expect((await fetch(`${gateway}/health`)).status).toBe(200);
  renameSync(`${program}-away`, program);
  await eventually("the web API is back", async () => {
    const health = await fetch(`${web}/api/health`).catch(() => null);
    return health?.status === 200;
  });
});
