/** A log message, serialized once for all viewers. */
export interface LogMessage {
  readonly channel: "events" | "alerts";
  readonly seq: number;
  readonly text: string;
}

export interface LogPage {
  readonly messages: readonly LogMessage[];
  /** The page contains everything up to here. */
  readonly upTo: number;
}
