import { toWireEvent } from "@tollgate/core/event";
import { type Command, optionalNumber } from "../command.ts";
import { withLedgerReader } from "../open-store.ts";

export const ledgerTail: Command = {
  name: "ledger tail",
  usage: "[--limit N]",
  summary: "shows the newest events, newest first",
  options: { limit: { type: "string" } },
  async run(input) {
    const limit = optionalNumber(input, "limit") ?? 20;
    return await withLedgerReader(input.config, reader => {
      const events = reader.newest(limit).map(({ seq, event }) => ({ seq, ...toWireEvent(event) }));
      const lines = events.map(
        event =>
          `${event.created_at}  ${event.status.padEnd(11)} ${event.provider}/${event.model}  ` +
          `${event.input_tokens} in, ${event.output_tokens} out, ${event.cost_microcents} microcents ` +
          `(${event.cost_basis})  ${event.latency_ms} ms  agent ${event.agent_key}${event.mode === "test" ? "  test" : ""}`,
      );
      return { value: events, text: lines.join("\n") || "no events" };
    });
  },
};
