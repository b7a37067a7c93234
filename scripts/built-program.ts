/**
 * The built binary, which `npm start` and the tests run: it starts four times as fast as a checkout and needs less memory.
 * It is built once per state of the sources. Run as a script, it makes `current` point to it.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { Glob } from "bun";
import { isProcessRunning } from "./is-process-running.ts";

const root = join(import.meta.dir, "..");
/** Not in `node_modules`, which an installation empties: an instance may be running, and restarts planes from here. */
const cache = join(root, ".built");
/** Relative, so that the folder can be moved. */
const current = join(cache, "current");
const KEPT_MS = 3_600_000;

let found: string | undefined;

/** Its path; built first if necessary. */
export function builtProgram(): string {
  if (found === undefined) {
    found = findOrBuild(() => {});
    // A test process may start it for as long as the tests run.
    utimesSync(dirname(found), new Date(), new Date());
  }
  return found;
}

function findOrBuild(onBuild: () => void): string {
  const folder = join(cache, hashSources());
  const program = join(folder, "tollgate");
  if (existsSync(program)) return program;
  onBuild();
  mkdirSync(cache, { recursive: true });
  removeOlder();
  const made = mkdtempSync(join(cache, `new-${process.pid}-`));
  // Another user may start what one has built.
  chmodSync(made, 0o755);
  const build = Bun.spawnSync([process.execPath, join(root, "scripts/build.ts"), join(made, "tollgate")], {
    cwd: root,
    stdout: "ignore",
    stderr: "pipe",
  });
  if (build.exitCode !== 0) {
    rmSync(made, { recursive: true, force: true });
    throw new Error(`the build failed: ${build.stderr.toString()}`);
  }
  try {
    renameSync(made, folder);
  } catch {
    // Another test process was faster, and built the same.
    rmSync(made, { recursive: true, force: true });
  }
  return program;
}

function hashSources(): string {
  const inPackages = ["packages/*/package.json", "packages/*/src/**"].flatMap(pattern => [
    ...new Glob(pattern).scanSync({ cwd: root }),
  ]);
  const shipped = inPackages.filter(path => !path.endsWith(".test.ts")).sort();
  const paths = [
    "package-lock.json",
    "scripts/build.ts",
    "scripts/build-dashboard.ts",
    "scripts/dashboard-routes.ts",
    ...shipped,
  ];
  const hash = new Bun.CryptoHasher("sha256");
  for (const path of paths) hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest("hex").slice(0, 16);
}

/** Removes interrupted builds, and finished ones of other sources that no test run may still start and no instance runs. */
function removeOlder(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const isUnfinished = name.startsWith("new-");
    if (!isUnfinished && !/^[0-9a-f]{16}$/.test(name)) continue;
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    const isOld = ageMs > KEPT_MS;
    const isLeft = isUnfinished ? isOld || !isBuilding(name) : isOld && !isRunning(path);
    if (isLeft) rmSync(path, { recursive: true, force: true });
  }
}

function isBuilding(name: string): boolean {
  const [, pid] = /^new-(\d+)-/.exec(name) ?? [];
  return pid === undefined || isProcessRunning(Number(pid));
}

/** A running instance restarts planes from its own build. Where processes cannot be listed, every build may be in use. */
function isRunning(folder: string): boolean {
  if (!existsSync("/proc/self/exe")) return true;
  return readdirSync("/proc").some(pid => {
    try {
      return readlinkSync(`/proc/${pid}/exe`).startsWith(`${folder}/`);
    } catch {
      // Not a process, or another user's.
      return false;
    }
  });
}

/** Replaced in one step: another start may be reading it. */
function makeCurrent(program: string): void {
  const target = basename(dirname(program));
  if (existsSync(current) && readlinkSync(current) === target) return;
  const made = `${current}-${process.pid}`;
  symlinkSync(target, made);
  renameSync(made, current);
}

if (import.meta.main) makeCurrent(findOrBuild(() => console.error("building…")));
