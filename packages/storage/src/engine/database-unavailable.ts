/** The database is unreachable, or the connection to it broke; the query itself is fine. */
export class DatabaseUnavailable extends Error {
  constructor(sentence = "the database cannot be reached") {
    super(sentence);
    this.name = "DatabaseUnavailable";
  }
}

const TOO_MANY_CONNECTIONS = "53300";

/** A fault of the connection as `DatabaseUnavailable`, which is retried; any other as it is. */
export function asUnavailable(fault: unknown): unknown {
  if (!(fault instanceof Error)) return fault;
  // The server's own code is in `errno`. 57P01 to 57P03: it is shutting down or still starting.
  const { code, errno } = fault as { code?: unknown; errno?: unknown };
  if (errno === TOO_MANY_CONNECTIONS) {
    return new DatabaseUnavailable("the database has no connection left (max_connections)");
  }
  const isConnectionFault = [code, errno].some(
    value =>
      typeof value === "string" &&
      /^(ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME)|ECONN|EPIPE|57P0[1-3])/.test(value),
  );
  return isConnectionFault ? new DatabaseUnavailable() : fault;
}
