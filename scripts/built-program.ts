/**
 * The built binary for tests: they start it a few hundred times, and it starts four times as fast as a checkout. It is
 * built once per state of the sources, and shared by all test processes.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const root = join(import.meta.dir, "..");
const cache = join(root, "node_modules/.cache/tollgate-built");
const KEPT_MS = 3_600_000;

let found: string | undefined;

/** Its path; built first if necessary. */
export function builtProgram(): string {
  found ??= findOrBuild();
  return found;
}

function findOrBuild(): string {
  const folder = join(cache, hashSources());
  const program = join(folder, "tollgate");
  if (existsSync(program)) {
    utimesSync(folder, new Date(), new Date());
    return program;
  }
  mkdirSync(cache, { recursive: true });
  removeOlder();
  const made = mkdtempSync(join(cache, "new-"));
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

/** Removes builds of other states of the sources, unless a current run may still start them. */
function removeOlder(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
