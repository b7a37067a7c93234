// Makes a fresh clone runnable: installs exactly what package-lock.json names, and bundles the dashboard and (--program) the whole
// program. Runs on plain Node, before anything of ours: `npm start` and `npm test` both start here.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDashboardBuilt } from "./dashboard-sources.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const withDev = process.argv.includes("--dev");
const stampFile = join(root, "node_modules", ".tollgate-installed");
const bunBinary = join(root, "node_modules", "bun", "bin", "bun.exe");

const lockHash = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (error || status !== 0) {
    console.error(`setup failed: ${command} ${args.join(" ")}${error ? ` (${error.message})` : ""}`);
    process.exit(1);
  }
}

function isInstalled() {
  if (!existsSync(stampFile)) return false;
  const [hash, scope] = readFileSync(stampFile, "utf8").split(" ");
  return hash === lockHash && (scope === "dev" || !withDev);
}

if (!isInstalled()) {
  console.error(`installing packages${withDev ? " for development" : ""}…`);
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...(withDev ? [] : ["--omit=dev"])]);
  // No package may run its own code at install time (.npmrc). Bun's step only puts its binary in place.
  if (statSync(bunBinary).size < 1_000_000) run("node", [join("node_modules", "bun", "install.js")]);
  writeFileSync(stampFile, `${lockHash} ${withDev ? "dev" : "prod"}`);
}

if (!isDashboardBuilt()) run(bunBinary, [join("scripts", "build-dashboard.ts")]);
if (process.argv.includes("--program")) run(bunBinary, [join("scripts", "built-program.ts")]);
