import { basename, resolve } from "node:path";

export const DEFAULT_DATA_DIR = "./data";

/** What to type before a command: the binary (by name, if it is in the shell's path), or the npm script. */
export const programName = Bun.isStandaloneExecutable ? binaryName() : "npm run --silent svc --";

/** The same for a command about the data of `dataDir`, to be pasted into a shell. */
export function programFor(dataDir: string): string {
  return dataDir === resolve(DEFAULT_DATA_DIR)
    ? programName
    : `SVC_DATA_DIR='${dataDir.replaceAll("'", "'\\''")}' ${programName}`;
}

function binaryName(): string {
  const name = basename(process.execPath);
  return Bun.which(name) === process.execPath ? name : process.execPath;
}
