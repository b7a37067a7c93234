import { afterEach } from "bun:test";
import { type RunningTollgate, startTollgate } from "./tollgate-process.ts";

/** Starts instances in the tests of one file; each is stopped after its test, even if that failed. */
export function startInTest(): (
  dataDir: string,
  settings?: Record<string, string>,
  program?: readonly string[],
) => RunningTollgate {
  const running: RunningTollgate[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map(tollgate => tollgate.stop()));
  });
  return (dataDir, settings, program) => {
    const tollgate = startTollgate(dataDir, settings, program);
    running.push(tollgate);
    return tollgate;
  };
}
