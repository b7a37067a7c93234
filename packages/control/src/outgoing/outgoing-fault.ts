/** Why there was no answer. The sentence is fit to be shown to whoever gave the address. */
export class OutgoingFault extends Error {
  constructor(
    readonly kind: "refused" | "unreachable" | "timeout",
    sentence: string,
  ) {
    super(sentence);
    this.name = "OutgoingFault";
  }
}
