/** Why there was no answer. The message is safe to show to the user who supplied the address. */
export class OutgoingFault extends Error {
  constructor(
    readonly kind: "refused" | "unreachable" | "timeout",
    sentence: string,
  ) {
    super(sentence);
    this.name = "OutgoingFault";
  }
}
