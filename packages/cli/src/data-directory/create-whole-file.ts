import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { namingFile } from "@tollgate/storage/engine/naming-file";

/**
 * Creates a private file with all of its content, or not at all: a full disk or a power cut leaves no part of it at
 * `path`. A file that exists is left as it is: of two concurrent starts, one creates it and both read it.
 */
export function createWholeFile(path: string, content: string): void {
  const temporary = `${path}.${crypto.randomUUID()}`;
  try {
    namingFile(path, () => writeFileSync(temporary, content, { mode: 0o600, flag: "wx", flush: true }));
    placeNew(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Unlike a rename, a link does not replace a file that was created meanwhile. Not every file system has links. */
function placeNew(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (fault) {
    const code = fault instanceof Error && "code" in fault ? fault.code : null;
    if (code === "EEXIST") return;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP") throw fault;
    if (!existsSync(path)) renameSync(temporary, path);
  }
}
