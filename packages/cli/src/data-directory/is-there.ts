import { accessSync, constants } from "node:fs";
import { UsageError } from "../config/usage-error.ts";

/** Whether a data file exists. `existsSync` reports one that this user may not reach as absent. */
export function isThere(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (fault) {
    const code = fault instanceof Error && "code" in fault ? fault.code : null;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    if (code !== "EACCES" && code !== "EPERM") throw fault;
    throw new UsageError(`this user may not read ${path}: run the command as the user that Tollgate runs as`);
  }
}
