import { expect, it, onTestFinished } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { GATEWAY_VERSION } from "@tollgate/gateway/version";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { printedKeys, startTollgate, svc } from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const root = join(import.meta.dir, "../../..");
const folder = temporaryFolder();

/** Copies what a clone contains: no files ignored by Git (packages, builds, data). */
function cloneTo(target: string): void {
  const listed = Bun.spawnSync(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  expect([listed.exitCode, listed.stderr.toString()]).toEqual([0, ""]);
  for (const name of listed.stdout.toString().split("\0")) {
    // A tracked file may have been deleted without a commit.
    if (name === "" || !existsSync(join(root, name))) continue;
    mkdirSync(dirname(join(target, name)), { recursive: true });
    cpSync(join(root, name), join(target, name));
  }
}

/** A PATH with only Node, npm and a shell: no Bun, no Python, no compiler. */
function bareProgramFolder(): string {
  const programs = folder("programs");
  mkdirSync(programs);
  for (const name of ["node", "npm", "sh"]) {
    const found = Bun.which(name);
    if (found === null) throw new Error(`${name} is not installed`);
    symlinkSync(realpathSync(found), join(programs, name));
  }
  return programs;
}

/** Packages come from npm's cache if possible, otherwise from the registry: without either, this test fails. */
it("OPS-001 `npm start` on a fresh clone installs, migrates and starts both planes, with nothing but Node and npm", async () => {
  const clone = folder("clone");
  const dataDir = join(clone, "fresh-data");
  cloneTo(clone);
  expect(existsSync(join(clone, "node_modules"))).toBe(false);
  const settings = { PATH: bareProgramFolder(), npm_config_prefer_offline: "true" };
  const tollgate = startTollgate(dataDir, settings, ["npm"], clone);
  const built = join(clone, ".built");
  onTestFinished(async () => {
    await tollgate.stop();
    await eventually("its planes have ended", () => processesIn(built).length === 0);
  });
  const gateway = await tollgate.ready();
  const web = tollgate.addressOf("web");
  expect((await fetch(`${gateway}/health`)).status).toBe(200);
  expect((await fetch(`${web}/api/health`)).status).toBe(200);
  expect(tollgate.stderr).toContain("installing packages");
  // Only runtime dependencies were installed, no development packages.
  expect(existsSync(join(clone, "node_modules/typescript"))).toBe(false);
  // The planes are two processes of the program that the clone has built.
  const planes = processesIn(built).filter(
    ({ args }) => args.includes("gateway") || args.includes("control"),
  );
  expect(planes.map(({ args }) => args.at(-1)).sort()).toEqual(["control", "gateway"]);
  // The migrated database has the first organization, and its key works.
  const { test } = printedKeys(tollgate.stdout);
  const models = await fetch(`${gateway}/v1/models`, { headers: { authorization: `Bearer ${test[0]}` } });
  expect(models.status).toBe(200);
  expect(tollgate.stdout).toContain("npm run --silent svc -- ledger tail");
  const verified = await svc(dataDir, ["ledger", "verify", "--json"]);
  expect(verified.json()).toMatchObject({ ok: true });

  // With newer sources, commands run a newer build, and the instance still restarts a plane from its own.
  const own = readlinkSync(join(built, "current"));
  utimesSync(join(built, own), new Date(0), new Date(0));
  appendFileSync(join(clone, "packages/cli/src/print-version.ts"), "// newer\n");
  const version = await svc(dataDir, ["version"], settings, ["npm", "run", "--silent", "svc", "--"], clone);
  expect([version.exitCode, version.stdout]).toEqual([0, `${GATEWAY_VERSION}\n`]);
  expect(readlinkSync(join(built, "current"))).not.toBe(own);
  // As while an installation is under way.
  rmSync(join(clone, "node_modules"), { recursive: true });
  const [running] = processesIn(built).filter(({ args }) => args.includes("gateway"));
  if (running === undefined) throw new Error("there is no gateway");
  process.kill(running.pid, "SIGKILL");
  await eventually("another gateway answers", async () => {
    const [restarted] = processesIn(join(built, own)).filter(({ args }) => args.includes("gateway"));
    const health = await fetch(`${gateway}/health`).catch(() => null);
    return restarted !== undefined && restarted.pid !== running.pid && health?.status === 200;
  });
});

/** Processes that run a program of this folder, with their arguments. */
function processesIn(programs: string): { pid: number; args: string[] }[] {
  return readdirSync("/proc").flatMap(pid => {
    try {
      if (!/^\d+$/.test(pid) || !readlinkSync(`/proc/${pid}/exe`).startsWith(programs)) return [];
      return [
        { pid: Number(pid), args: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean) },
      ];
    } catch {
      // It has exited since.
      return [];
    }
  });
}
