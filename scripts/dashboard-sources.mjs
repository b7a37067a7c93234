// What the dashboard's bundle is made of. Plain JavaScript: setup.mjs reads it on Node, before Bun is installed.
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The bundle: a line with the hash of its sources, then JSON. */
export const bundlePath = join(root, "packages/dashboard/dist/dashboard.bundle");

const folders = ["packages/core/src", "packages/dashboard/src", "packages/sdk/src"];
const files = ["package-lock.json", "scripts/build-dashboard.ts", "scripts/dashboard-routes.ts"];

export function hashDashboardSources() {
  const found = folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1)),
  );
  const hash = createHash("sha256");
  for (const path of [...files, ...found].sort()) hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

export function isDashboardBuilt() {
  if (!existsSync(bundlePath)) return false;
  const start = Buffer.alloc(64);
  const file = openSync(bundlePath, "r");
  readSync(file, start);
  closeSync(file);
  return start.toString("latin1") === hashDashboardSources();
}
