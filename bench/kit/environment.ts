import { cpus, release, totalmem } from "node:os";

/** Describes the machine, so that two reports can be compared. */
export function describeEnvironment(): string {
  const model = cpus()[0]?.model ?? "unknown processor";
  const memoryGb = (totalmem() / 1e9).toFixed(0);
  return `${cpus().length} × ${model}, ${memoryGb} GB, Linux ${release()}, Bun ${Bun.version}`;
}
