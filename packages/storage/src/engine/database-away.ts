/** The database cannot be reached, or the connection to it broke. Nothing is wrong with what was asked. */
export class DatabaseAway extends Error {
  constructor(sentence = "the database cannot be reached") {
    super(sentence);
    this.name = "DatabaseAway";
  }
}

export function isConnectionFault(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  // The server's own code stands in `errno`. 57P01 to 57P03: it is being stopped, or is not up yet.
  const codes = [Reflect.get(fault, "code"), Reflect.get(fault, "errno")];
  return codes.some(
    code =>
      typeof code === "string" &&
      /^(ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME)|ECONN|EPIPE|57P0[1-3])/.test(code),
  );
}
