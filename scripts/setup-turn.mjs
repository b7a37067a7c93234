// One setup at a time: an installation empties node_modules, which a build reads. Plain Node, which cannot lock files, so this is
// Lamport's bakery algorithm: every process has a claim, a file that only it writes, and the lowest number is next. Nobody has to
// break a lock: a claim ends with its process and the children that it names, whichever way they end.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 100;
/** A setup that finds everything in place takes less. */
const SAY_SO_AFTER_MS = 1000;

/** Resolves once no other setup with a claim in this folder is ahead. */
export async function takeTurn(folder, onWait) {
  const name = idOf(process.pid);
  const path = join(folder, name);
  let number = Number.POSITIVE_INFINITY;
  try {
    mkdirSync(folder, { recursive: true });
    // Without a number yet: others wait for it, because it may be lower than theirs.
    writeFileSync(path, "");
    number = 1 + Math.max(0, ...claimsIn(folder).map(claim => claim.number ?? 0));
    appendFileSync(path, `${number}\n`);
  } catch (fault) {
    // Another user's folder, where this one can install nothing: it only waits.
    if (!["EACCES", "EPERM", "EROFS"].includes(fault.code)) throw fault;
  }
  const isAhead = other =>
    other.name !== name &&
    (other.number === undefined || other.number < number || (other.number === number && other.name < name));
  const startedAt = performance.now();
  for (let isSaid = false; claimsIn(folder).some(isAhead); await sleep(POLL_MS)) {
    if (isSaid || performance.now() - startedAt < SAY_SO_AFTER_MS) continue;
    isSaid = true;
    onWait();
  }
  return {
    /** The turn lasts until this process has ended, too. */
    include(pid) {
      if (number < Number.POSITIVE_INFINITY) appendFileSync(path, `${idOf(pid)}\n`);
    },
    end: () => rmSync(path, { force: true }),
  };
}

function claimsIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap(name => {
    // Asked before reading: what a process that has ended wrote is complete.
    const isOwnerRunning = isRunning(name);
    const lines = readLines(join(folder, name));
    if (lines === null) return [];
    const [number, ...children] = lines;
    if (isOwnerRunning || children.some(isRunning))
      return [{ name, number: number === undefined ? undefined : Number(number) }];
    removeEnded(join(folder, name));
    return [];
  });
}

/** null: it has just been removed. */
function readLines(path) {
  try {
    // A line that is still being written has no end.
    return readFileSync(path, "utf8").split("\n").slice(0, -1);
  } catch (fault) {
    if (fault.code === "ENOENT") return null;
    throw fault;
  }
}

function removeEnded(path) {
  try {
    rmSync(path, { force: true });
  } catch {
    // Another user's; it counts for nothing.
  }
}

const isRunning = id => idOf(Number.parseInt(id, 10)) === id;

/** With its start, because process ids are used again. null: it has ended, even if its exit code is still to be read. */
function idOf(pid) {
  const [state, start] = existsSync("/proc/self/stat") ? readStat(pid) : askPs(pid);
  return state === "" || state === "Z" || state === "X" ? null : `${pid}-${start.replace(/\W+/g, "_")}`;
}

/** Linux. */
function readStat(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, a name in parentheses, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [fields[0], fields[19]];
  } catch {
    return [""];
  }
}

/** macOS. */
function askPs(pid) {
  const { stdout } = spawnSync("/bin/ps", ["-o", "state=", "-o", "lstart=", "-p", String(pid)], {
    env: { LC_ALL: "C", TZ: "UTC" },
    encoding: "utf8",
  });
  const [state, ...start] = stdout.trim().split(/\s+/);
  return [state.slice(0, 1), start.join(" ")];
}
