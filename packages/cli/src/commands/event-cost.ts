import type { Event } from "@tollgate/core/event";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { explainEvent } from "@tollgate/storage/read-model/reading/explain-event";
import { findIngestedEvents } from "@tollgate/storage/read-model/reading/find-ingested-events";
import { UsageError } from "../config/usage-error.ts";
import { withControlStore, withLedgerReader } from "../data-directory/open-store.ts";
import { costInWords } from "../output/cost-in-words.ts";
import type { Command } from "./command.ts";

export const eventCost: Command = {
  name: "event cost",
  usage: "ID [--org ID]",
  argument: "the id of an event",
  summary: "explains what an event costs: every line, its rate and where the rate comes from",
  options: { org: { type: "string" } },
  async run(input) {
    const id = input.argument;
    const orgId = typeof input.options.org === "string" ? input.options.org : null;
    return await withControlStore(input.config, store =>
      withLedgerReader(input.config, async reader => {
        const event = await findOne(store.database, reader, id, orgId);
        const value = await explainEvent(store.database.db, reader, event);
        return { value, text: costInWords(value) };
      }),
    );
  },
};

/** By its own id, or the id it was ingested with, which several organizations may have used. */
async function findOne(
  database: ControlDatabase,
  reader: LedgerReader,
  id: string,
  orgId: string | null,
): Promise<Event> {
  const own = reader.byId(id);
  const found = own === null ? await findIngestedEvents(database.db, reader, id) : [own.event];
  const wanted = found.filter(event => orgId === null || event.org_id === orgId);
  const [event] = wanted;
  if (event === undefined) throw new UsageError("no event has that id");
  if (wanted.some(other => other.org_id !== event.org_id)) {
    throw new UsageError("several organizations have an event with that id: choose one with --org");
  }
  return event;
}
