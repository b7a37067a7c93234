import { expect, it, onTestFinished } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { isProcessRunning } from "../../../scripts/is-process-running.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const scripts = join(import.meta.dir, "../../../scripts");

/** Takes as long as the test wants, as npm on a slow network. In a folder that has been removed it ends. */
const NPM = `#!/bin/sh
rm -rf node_modules
echo "begin $$" >> npm.log
while [ -e package-lock.json ] && [ ! -e go ]; do sleep 0.02; done
mkdir -p node_modules/bun/bin
ln -s "$BUN" node_modules/bun/bin/bun.exe
echo "end $$" >> npm.log
`;
const BUILD_DASHBOARD = `
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { bundlePath, hashDashboardSources } from "./dashboard-sources.mjs";
mkdirSync(dirname(bundlePath), { recursive: true });
writeFileSync(bundlePath, hashDashboardSources());
`;
const BUILD = `
import { existsSync } from "node:fs";
await Bun.write(process.argv[2], "");
while (existsSync("package-lock.json") && !existsSync("go")) await Bun.sleep(20);
`;

/** A clone without its sources, where everything that takes long is replaced. */
function tinyClone() {
  const root = folder(crypto.randomUUID());
  for (const path of ["bin", "scripts", "packages/core/src", "packages/dashboard/src", "packages/sdk/src"]) {
    mkdirSync(join(root, path), { recursive: true });
  }
  for (const name of [
    "setup.mjs",
    "setup-turn.mjs",
    "dashboard-sources.mjs",
    "built-program.ts",
    "is-process-running.ts",
  ]) {
    copyFileSync(join(scripts, name), join(root, "scripts", name));
  }
  writeFileSync(join(root, "bin/npm"), NPM);
  chmodSync(join(root, "bin/npm"), 0o755);
  writeFileSync(join(root, "scripts/build-dashboard.ts"), BUILD_DASHBOARD);
  writeFileSync(join(root, "scripts/build.ts"), BUILD);
  writeFileSync(join(root, "scripts/dashboard-routes.ts"), "");
  writeFileSync(join(root, "package-lock.json"), "{}");
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));

  const env = {
    ...process.env,
    BUN: process.execPath,
    PATH: `${root}/bin${delimiter}${process.env.PATH}`,
  };
  return {
    root,
    start(...args: readonly string[]) {
      const setup = Bun.spawn(["node", "scripts/setup.mjs", ...args], { cwd: root, env, stderr: "pipe" });
      onTestFinished(() => setup.kill("SIGKILL"));
      let stderr = "";
      void (async () => {
        for await (const chunk of setup.stderr.pipeThrough(new TextDecoderStream())) stderr += chunk;
      })();
      return {
        setup,
        waits: () =>
          eventually("it says that it waits", () => stderr.includes("waiting for another command")),
        async succeeds() {
          expect([await setup.exited, stderr]).toEqual([0, expect.anything()]);
        },
      };
    },
    /** Lets installations and builds go on. */
    go: () => writeFileSync(join(root, "go"), ""),
    npmLog: () =>
      existsSync(join(root, "npm.log")) ? readFileSync(join(root, "npm.log"), "utf8").trim().split("\n") : [],
    /** Resolves with the process id of the first npm. */
    async npmRuns() {
      await eventually("npm runs", () => this.npmLog().length > 0);
      return Number(this.npmLog()[0]?.split(" ")[1]);
    },
  };
}

const steps = (log: readonly string[]) => log.map(line => line.split(" ")[0]);

it("a setup waits for another one, and says so: an installation never removes what another has installed", async () => {
  const clone = tinyClone();
  const first = clone.start();
  await clone.npmRuns();
  const others = [clone.start("--dev"), clone.start("--dev")];
  for (const other of others) await other.waits();
  expect(steps(clone.npmLog())).toEqual(["begin"]);
  clone.go();
  for (const one of [first, ...others]) await one.succeeds();
  // The first without packages for development, the second with them, the third finds them.
  expect(steps(clone.npmLog())).toEqual(["begin", "end", "begin", "end"]);
  expect(readdirSync(join(clone.root, ".built/setup"))).toEqual([]);
});

it("a setup waits for the npm that one left which was killed", async () => {
  const clone = tinyClone();
  const { setup } = clone.start();
  const npm = await clone.npmRuns();
  setup.kill("SIGKILL");
  await setup.exited;
  const second = clone.start();
  await second.waits();
  expect(isProcessRunning(npm)).toBe(true);
  expect(steps(clone.npmLog())).toEqual(["begin"]);
  clone.go();
  await second.succeeds();
  expect(steps(clone.npmLog())).toEqual(["begin", "end", "begin", "end"]);
});

it("a setup that was killed together with its npm holds up nobody", async () => {
  const clone = tinyClone();
  const { setup } = clone.start();
  const npm = await clone.npmRuns();
  setup.kill("SIGKILL");
  await setup.exited;
  process.kill(npm, "SIGKILL");
  clone.go();
  await clone.start().succeeds();
  expect(steps(clone.npmLog())).toEqual(["begin", "begin", "end"]);
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s ends the npm of a setup, too", async signal => {
  const clone = tinyClone();
  const { setup } = clone.start();
  const npm = await clone.npmRuns();
  setup.kill(signal);
  await setup.exited;
  expect(setup.signalCode).toBe(signal);
  expect(isProcessRunning(npm)).toBe(false);
  clone.go();
  await clone.start().succeeds();
  expect(steps(clone.npmLog())).toEqual(["begin", "begin", "end"]);
});

it("the next build removes what an interrupted one left", async () => {
  const clone = tinyClone();
  clone.go();
  await clone.start().succeeds();
  rmSync(join(clone.root, "go"));
  const built = join(clone.root, ".built");
  const unfinished = () => readdirSync(built).filter(name => name.startsWith("new-"));
  const { setup } = clone.start("--program");
  await eventually("it builds", () => unfinished().some(name => existsSync(join(built, name, "tollgate"))));
  setup.kill("SIGINT");
  await setup.exited;
  expect(unfinished()).toHaveLength(1);
  clone.go();
  await clone.start("--program").succeeds();
  expect(unfinished()).toEqual([]);
  expect(existsSync(join(built, "current/tollgate"))).toBe(true);
});
