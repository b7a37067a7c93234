/** The database cannot be reached, or the connection to it broke. Nothing is wrong with what was asked. */
export class DatabaseAway extends Error {
  constructor(sentence = "the database cannot be reached") {
    super(sentence);
    this.name = "DatabaseAway";
  }
}

export function isConnectionFault(fault: unknown): boolean {
  if (!(fault instanceof Error) || !("code" in fault) || typeof fault.code !== "string") return false;
  // 57P01 to 57P03: the server is being stopped, or is not up yet.
  return /^(ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME)|ECONN|EPIPE|57P0[1-3])/.test(fault.code);
}
