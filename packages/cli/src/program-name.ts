import { basename } from "node:path";

/** What to type before a command: the binary (by its name, if the shell finds it by that), or the npm script. */
export const programName = Bun.isStandaloneExecutable ? binaryName() : "npm run --silent svc --";

function binaryName(): string {
  const name = basename(process.execPath);
  return Bun.which(name) === process.execPath ? name : process.execPath;
}
