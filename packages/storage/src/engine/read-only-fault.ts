/** PostgreSQL's code for a write in a session that may only read, as on every standby. */
const READ_ONLY = "25006";

/** Whether a write failed because the PostgreSQL behind the address only lets itself be read, for example after a failover. */
export function isReadOnlyFault(fault: unknown): boolean {
  // Bun has PostgreSQL's error code in `errno`.
  return fault instanceof Error && "errno" in fault && fault.errno === READ_ONLY;
}
