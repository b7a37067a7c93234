// Makes a fresh clone runnable: installs exactly what package-lock.json names, and bundles the dashboard and (--program) the whole
// program. Runs on plain Node, before anything of ours: `npm start` and `npm test` both start here.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDashboardBuilt } from "./dashboard-sources.mjs";
import { takeTurn } from "./setup-turn.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const withDev = process.argv.includes("--dev");
const stampFile = join(root, "node_modules", ".tollgate-installed");
const bunBinary = join(root, "node_modules", "bun", "bin", "bun.exe");

const lockHash = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");

let turn = null;
/** What runs now. It must not outlive this process: npm goes on for seconds after Ctrl-C. */
let child = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    const end = () => {
      turn?.end();
      process.kill(process.pid, signal);
    };
    if (child === null) return end();
    child.once("exit", end);
    // The next setup installs everything again, so there is nothing that npm would have to undo.
    child.kill("SIGKILL");
  });
}

/** The command starts once the turn includes it: if this process is killed before, it never does. */
async function run(command, args) {
  child = spawn("sh", ["-c", 'read -r go && exec "$@"', "sh", command, ...args], {
    cwd: root,
    stdio: ["pipe", 2, 2],
  });
  const ended = new Promise(resolve => {
    child.once("error", resolve);
    child.once("exit", (status, signal) =>
      resolve(status === 0 ? null : new Error(signal ?? `exit code ${status}`)),
    );
  });
  child.stdin.on("error", () => {});
  if (child.pid !== undefined) turn.include(child.pid);
  child.stdin.end("go\n");
  const fault = await ended;
  child = null;
  if (fault === null) return;
  console.error(`setup failed: ${command} ${args.join(" ")} (${fault.message})`);
  process.exit(1);
}

function isInstalled() {
  if (!existsSync(stampFile)) return false;
  const [hash, scope] = readFileSync(stampFile, "utf8").split(" ");
  return hash === lockHash && (scope === "dev" || !withDev);
}

turn = await takeTurn(join(root, ".built", "setup"), () =>
  console.error("waiting for another command that is installing or building in this folder…"),
);
process.once("exit", () => turn.end());

if (!isInstalled()) {
  console.error(`installing packages${withDev ? " for development" : ""}…`);
  // First: npm may be stopped when it has removed other files and not yet this one.
  rmSync(stampFile, { force: true });
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...(withDev ? [] : ["--omit=dev"])]);
  // No package may run its own code at install time (.npmrc). Bun's step only puts its binary in place.
  if (statSync(bunBinary).size < 1_000_000) await run("node", [join("node_modules", "bun", "install.js")]);
  writeFileSync(stampFile, `${lockHash} ${withDev ? "dev" : "prod"}`);
}

if (!isDashboardBuilt()) await run(bunBinary, [join("scripts", "build-dashboard.ts")]);
if (process.argv.includes("--program")) await run(bunBinary, [join("scripts", "built-program.ts")]);
