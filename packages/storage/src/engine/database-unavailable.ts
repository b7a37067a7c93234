/** The database is unreachable, or the connection to it broke; the query itself is fine. */
export class DatabaseUnavailable extends Error {
  constructor(sentence = "the database cannot be reached") {
    super(sentence);
    this.name = "DatabaseUnavailable";
  }
}

export function isConnectionFault(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  // The server's own code is in `errno`. 57P01 to 57P03: it is shutting down or still starting.
  const codes = [Reflect.get(fault, "code"), Reflect.get(fault, "errno")];
  return codes.some(
    code =>
      typeof code === "string" &&
      /^(ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME)|ECONN|EPIPE|57P0[1-3])/.test(code),
  );
}
