/** A user's mistake, reported in one sentence without a stack trace. */
export class UsageError extends Error {
  constructor(
    message: string,
    /** More lines for a person; not part of the error that `--json` prints. */
    readonly hint = "",
  ) {
    super(message);
  }
}
