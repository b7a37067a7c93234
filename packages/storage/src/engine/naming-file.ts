/**
 * Names the file, or database, in what `work` throws: SQLite's "file is not a database" does not say which. The class
 * and code of the error stay, because callers check them.
 */
export function namingFile<Result>(name: string, work: () => Result): Result {
  try {
    return work();
  } catch (fault) {
    throw withName(name, fault);
  }
}

export function withName(name: string, fault: unknown): unknown {
  if (fault instanceof Error && !fault.message.includes(name)) fault.message = `${name}: ${fault.message}`;
  return fault;
}
