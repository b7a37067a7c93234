import { basename } from "node:path";

/** What to type before a command: the binary's name, or the npm script in a checkout. */
export const programName = Bun.isStandaloneExecutable
  ? basename(process.execPath)
  : "npm run --silent svc --";
