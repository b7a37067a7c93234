/** What `fetch` throws when the network fails: callers distinguish the cases by `code`. */
export class ConnectionFault extends TypeError {
  constructor(readonly code: "ECONNREFUSED" | "ECONNRESET") {
    super(
      code === "ECONNREFUSED"
        ? "ECONNREFUSED: the simulated provider refused the connection"
        : "ECONNRESET: the simulated provider broke the connection",
    );
    this.name = "TypeError";
  }
}
