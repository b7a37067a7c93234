import { cpus, release, totalmem } from "node:os";

/** The machine, for a reader who compares two reports. */
export function describeEnvironment(): string {
  const model = cpus()[0]?.model ?? "unknown processor";
  const memoryGb = (totalmem() / 1e9).toFixed(0);
  return `${cpus().length} × ${model}, ${memoryGb} GB, Linux ${release()}, Bun ${Bun.version}`;
}
