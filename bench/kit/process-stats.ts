/** Process statistics from /proc. Every function throws if the process is gone. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** /proc counts CPU time in ticks of 10 ms on every Linux; a measurement must be much longer. */
const MS_PER_TICK = 10;

interface Stat {
  readonly parentPid: number;
  readonly cpuMs: number;
  /** Together with the pid it identifies a process permanently: pids are reused, start times are not. */
  readonly startTicks: number;
}

function readStat(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The command name is in parentheses and may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => {
    const value = Number(fields[number - 3]);
    if (!Number.isFinite(value)) throw new Error(`/proc/${pid}/stat has no field ${number}`);
    return value;
  };
  return { parentPid: field(4), cpuMs: (field(14) + field(15)) * MS_PER_TICK, startTicks: field(22) };
}

/** User and system time of all threads so far. */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + readStat(pid).cpuMs, 0);
}

function statusKb(pid: number, name: "VmRSS" | "VmHWM"): number {
  const text = readFileSync(`/proc/${pid}/status`, "latin1");
  const kb = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1];
  if (kb === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(kb);
}

const BYTES_PER_KB = 1024;
const BYTES_PER_MB = 1_000_000;

/** Resident memory now, in MB of a million bytes. */
export function residentMb(pids: readonly number[]): number {
  return (pids.reduce((sum, pid) => sum + statusKb(pid, "VmRSS"), 0) * BYTES_PER_KB) / BYTES_PER_MB;
}

/**
 * Memory of several processes that share pages, such as those of one program: each of `n` processes that have a page
 * counts an nth of it.
 */
export function sharedOnceMb(pids: readonly number[]): number {
  const kb = pids.map(pid => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
    const found = /^Pss:\s+(\d+) kB/m.exec(rollup)?.[1];
    if (found === undefined) throw new Error(`/proc/${pid}/smaps_rollup has no Pss`);
    return Number(found);
  });
  return (kb.reduce((sum, one) => sum + one, 0) * BYTES_PER_KB) / BYTES_PER_MB;
}

/** Peak resident memory since the start, which no sampling can miss. */
export function peakResidentMb(pids: readonly number[]): number {
  return (pids.reduce((sum, pid) => sum + statusKb(pid, "VmHWM"), 0) * BYTES_PER_KB) / BYTES_PER_MB;
}

function allPids(): number[] {
  return readdirSync("/proc")
    .filter(name => /^\d+$/.test(name))
    .map(Number);
}

function statOrNull(pid: number): Stat | null {
  try {
    return readStat(pid);
  } catch {
    return null;
  }
}

/** The process itself and all of its running descendants. */
export function processTree(rootPid: number): number[] {
  const parents = new Map(allPids().map(pid => [pid, statOrNull(pid)?.parentPid ?? null]));
  const tree = parents.get(rootPid) == null ? [] : [rootPid];
  // The list grows during iteration: children of children follow.
  for (const parent of tree) {
    for (const [pid, parentPid] of parents) if (parentPid === parent) tree.push(pid);
  }
  return tree;
}

/** null if there is no such process. */
export function startTicks(pid: number): number | null {
  return statOrNull(pid)?.startTicks ?? null;
}

const LISTEN = "0A";

function listeningInodes(port: number): Set<string> {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap(path => readLines(path));
  const columns = rows.map(row => row.trim().split(/\s+/));
  return new Set(
    columns
      .filter(row => row[1]?.endsWith(`:${wanted}`) === true && row[3] === LISTEN)
      .map(row => row[9] ?? ""),
  );
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "latin1").split("\n");
  } catch {
    // A kernel without IPv6 has no such table.
    return [];
  }
}

function holdsOneOf(pid: number, inodes: ReadonlySet<string>): boolean {
  return openFiles(pid).some(fd => {
    const inode = /^socket:\[(\d+)\]$/.exec(targetOf(pid, fd))?.[1];
    return inode !== undefined && inodes.has(inode);
  });
}

function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    // The process has ended.
    return [];
  }
}

function targetOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    // Closed since it was listed.
    return "";
  }
}

/** The processes that listen on the port: the ones that do the measured work. */
export function listenersOn(port: number, pids: readonly number[]): number[] {
  const inodes = listeningInodes(port);
  return pids.filter(pid => holdsOneOf(pid, inodes));
}
