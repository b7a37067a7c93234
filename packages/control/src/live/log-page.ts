/** A message of a log, written once for everybody who watches. */
export interface LogMessage {
  readonly channel: "events" | "alerts";
  readonly seq: number;
  readonly text: string;
}

export interface LogPage {
  readonly messages: readonly LogMessage[];
  /** Everything up to here is in the page. */
  readonly upTo: number;
}
