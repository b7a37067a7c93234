import { type Event, toWireEvent } from "@tollgate/core/event";
import {
  fromSequencedRow,
  type LedgerReader,
  type SequencedEvent,
} from "@tollgate/storage/ledger/ledger-reader";
import { requireOrganization } from "../accounts/require-organization.ts";
import { UsageError } from "../config/usage-error.ts";
import { withControlStore, withLedgerReader } from "../data-directory/open-store.ts";
import { showAmount } from "../output/show-amount.ts";
import type { Command } from "./command.ts";
import { optionalNumber } from "./command-options.ts";

const POLL_MS = 200;
const BATCH = 500;

export const ledgerTail: Command = {
  name: "ledger tail",
  usage: "[--limit N] [--org ID] [--follow]",
  summary:
    "shows the newest events, newest first; --follow shows them oldest first, and new ones as they arrive",
  options: { limit: { type: "string" }, org: { type: "string" }, follow: { type: "boolean" } },
  async run(input) {
    const limit = optionalNumber(input, "limit") ?? 20;
    const orgId = typeof input.options.org === "string" ? input.options.org : null;
    const isFollowing = input.options.follow === true;
    if (isFollowing && input.options.json === true) {
      throw new UsageError("--follow never ends and --json prints one value: use one of them");
    }
    return await withLedgerReader(input.config, async reader => {
      // The calls of an organization that was lost with control.db are still shown.
      if (orgId !== null && reader.newest(1, orgId).length === 0) {
        await withControlStore(input.config, store => requireOrganization(store, orgId));
      }
      if (isFollowing) return await follow(reader, limit, orgId);
      const newest = reader.newest(limit, orgId);
      const organizations = new Set(newest.map(({ event }) => event.org_id));
      const lines = newest.map(({ event }) => showEvent(event, organizations.size > 1));
      return {
        value: newest.map(({ seq, event }) => ({ seq, ...toWireEvent(event) })),
        text: lines.join("\n") || "no events",
      };
    });
  },
};

/** Runs until the process is stopped or its output is closed. */
async function follow(reader: LedgerReader, limit: number, orgId: string | null): Promise<never> {
  process.stdout.on("error", () => process.exit(0));
  const show = ({ event }: SequencedEvent) => process.stdout.write(`${showEvent(event, orgId === null)}\n`);
  // Read first: an event that arrives while the newest are read is shown once, by the loop.
  let cursor = reader.newestSeq();
  const newest = reader.newest(limit, orgId).filter(({ seq }) => seq <= cursor);
  newest.toReversed().forEach(show);
  for (;;) {
    const rows = reader.rowsBetween(cursor, cursor + BATCH);
    rows
      .filter(row => orgId === null || row.org_id === orgId)
      .map(fromSequencedRow)
      .forEach(show);
    if (rows.length === 0) await Bun.sleep(POLL_MS);
    cursor = rows.at(-1)?.seq ?? cursor;
  }
}

/** One event as one line of `ledger tail`. */
function showEvent(event: Event, withOrganization: boolean): string {
  const { status, provider, model, input_tokens, output_tokens, cost_basis, latency_ms } = event;
  const cost = cost_basis === "unpriced" ? "cost unknown" : showAmount(event.cost_microcents);
  return [
    new Date(event.created_at).toISOString(),
    status.padEnd(11),
    `${provider}/${model}`,
    `${input_tokens} in, ${output_tokens} out`,
    `${cost}, ${cost_basis}`,
    `${latency_ms} ms`,
    `agent ${event.agent_key}`,
    ...(event.mode === "test" ? ["test"] : []),
    ...(withOrganization ? [`organization ${event.org_id}`] : []),
  ].join("  ");
}
