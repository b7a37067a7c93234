import { readFileSync } from "node:fs";

interface CpuTimes {
  readonly total: number;
  readonly stolen: number;
}

/** A round in which the hypervisor took more than this says nothing about a latency. */
export const MAX_STOLEN = 0.02;

/** Returns a function that tells which share of the machine's CPU time the hypervisor has taken since. */
export function watchSteal(): () => number {
  const before = readCpuTimes();
  return () => {
    const now = readCpuTimes();
    const total = now.total - before.total;
    return total <= 0 ? 0 : (now.stolen - before.stolen) / total;
  };
}

function readCpuTimes(): CpuTimes {
  return parseCpuTimes(readFileSync("/proc/stat", "latin1"));
}

/** From the line of all CPUs: user, nice, system, idle, iowait, irq, softirq, steal; guests are part of user and nice. */
export function parseCpuTimes(text: string): CpuTimes {
  const fields = /^cpu +([\d ]+)$/m.exec(text)?.[1]?.split(" ").map(Number).slice(0, 8) ?? [];
  const stolen = fields[7];
  if (stolen === undefined || !fields.every(Number.isFinite)) throw new Error("/proc/stat has no CPU times");
  return { total: fields.reduce((sum, ticks) => sum + ticks, 0), stolen };
}
