import { basename, resolve } from "node:path";

export const DEFAULT_DATA_DIR = "./data";

/** `npm start` and `npm run svc` in a checkout. */
const isNpmScript = process.env.npm_package_name === "tollgate" || !Bun.isStandaloneExecutable;

/** What to type before a command: the binary (by name, if it is in the shell's path), or the npm script. */
export const programName = isNpmScript ? "npm run --silent svc --" : binaryName();

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
