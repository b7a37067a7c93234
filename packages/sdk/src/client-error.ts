/** The server refused the request. `body` has `error`, and further fields for some errors. */
export class ClientError extends Error {
  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(typeof body.error === "string" ? body.error : `the server answered ${status}`);
    this.name = "ClientError";
  }
}
