/** The operating system's codes for a disk and for a quota, and 53100: the disk of the PostgreSQL server. */
const codes: ReadonlySet<unknown> = new Set(["SQLITE_FULL", "ENOSPC", "EDQUOT", "53100"]);

/** Whether a write failed because the database's disk has no space left. */
export function isDiskFullFault(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  // Bun has PostgreSQL's error code in `errno`.
  const { code, errno } = fault as { code?: unknown; errno?: unknown };
  return codes.has(code) || codes.has(errno);
}
