/** 55P03: PostgreSQL has waited for a lock for too long. 40P01: a deadlock. The transaction has changed nothing. */
export function isLockFault(fault: unknown): boolean {
  return fault instanceof Error && ["55P03", "40P01"].includes(Reflect.get(fault, "errno"));
}
