import { chmodSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where a peer is installed once, outside the repository: it is not a dependency of ours. Only this user can write there. */
export function installFolder(name: string): string {
  const uid = process.getuid?.() ?? 0;
  const cache = join(tmpdir(), `tollgate-bench-cache-${uid}`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  // Others may write to the temporary folder, and a planted program would be executed here.
  if (statSync(cache).uid !== uid) throw new Error(`${cache} belongs to another user`);
  chmodSync(cache, 0o700);
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
