import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { dataFiles } from "./data-files.ts";
import { becomeSingleOwner, isOwned } from "./single-owner.ts";

/** A killed process may release its lock late, and a process that only checks holds it briefly. */
const GRACE_MS = 1000;

/** The addresses of a running instance, from `addresses.json`. */
const addressesSchema = z.object({
  /** null: it runs on another machine. */
  gateway: z.string().nullable(),
  web: z.string().nullable(),
  /** The address in links: `SVC_PUBLIC_URL`, or the web address. Absent in files of older versions. */
  public: z.string().optional(),
});
export type InstanceAddresses = z.output<typeof addressesSchema>;

export interface RunningInstance {
  /** The supervisor's pid; null if unknown. */
  readonly pid: number | null;
  /** null while it starts or stops. */
  readonly addresses: InstanceAddresses | null;
}

/**
 * Makes this process the only supervisor of a data directory, or throws if another one is running. Planes left behind by
 * a killed supervisor are awaited in `lock-plane.ts`, not here.
 */
export function becomeInstance(dataDir: string): () => void {
  const { instanceLock, pid } = dataFiles(dataDir);
  const release = becomeSingleOwner(instanceLock, {
    patienceMs: GRACE_MS,
    refusal: () => alreadyRunning(dataDir, readPid(pid)),
  });
  writeFileSync(pid, `${process.pid}\n`);
  return () => {
    rmSync(pid, { force: true });
    release();
  };
}

/** null: none runs on this data directory, even if a killed one left files there. */
export function findRunningInstance(dataDir: string): RunningInstance | null {
  const files = dataFiles(dataDir);
  if (!isOwned(files.instanceLock)) return null;
  return { pid: readPid(files.pid), addresses: readAddresses(files.addresses) };
}

export function alreadyRunning(dataDir: string, pid: number | null): string {
  const who = pid === null ? "another Tollgate" : `another Tollgate (pid ${pid})`;
  return `${who} is running on the data directory ${dataDir}: stop it first, or set SVC_DATA_DIR to another directory`;
}

function readPid(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, "utf8").trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function readAddresses(file: string): InstanceAddresses | null {
  try {
    return addressesSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}
