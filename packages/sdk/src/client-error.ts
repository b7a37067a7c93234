/** The server said no. `body` is what it said: `error`, and for some errors more fields beside it. */
export class ClientError extends Error {
  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(typeof body.error === "string" ? body.error : `the server answered ${status}`);
    this.name = "ClientError";
  }
}
