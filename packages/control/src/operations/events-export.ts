import type { eventsExport as operation } from "@tollgate/core/contract/events-export";
import type { EventFilter, Position } from "@tollgate/storage/read-model/queries";
import type { Context } from "../context.ts";
import { csvHeader, csvLine } from "./event-csv.ts";
import { eventFilter } from "./event-filter.ts";
import type { Handler } from "./handler.ts";
import { agentIds, toListedEvent, type WireEvent } from "./to-listed-event.ts";

const PAGE = 500;

/** Page by page as the reader takes it: an export of any length needs the memory of one page. */
export const eventsExport: Handler<typeof operation> = async (context, input) => {
  const filter = await eventFilter(context, input);
  const pages = eventPages(context, filter);
  const text = input.format === "csv" ? csvText(pages) : jsonText(pages);
  const type = input.format === "csv" ? "text/csv; charset=utf-8" : "application/json";
  return new Response(toStream(text), {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="events.${input.format}"`,
    },
  });
};

async function* eventPages(context: Context, filter: EventFilter): AsyncGenerator<WireEvent[]> {
  const ids = await agentIds(context);
  let after: Position | undefined;
  do {
    const page = await context.readModel.events(context.scope, filter, PAGE, after);
    yield page.rows.map(row => toListedEvent(row, ids));
    after = page.next ?? undefined;
  } while (after !== undefined);
}

async function* csvText(pages: AsyncGenerator<WireEvent[]>): AsyncGenerator<string> {
  yield csvHeader;
  for await (const events of pages) yield events.map(csvLine).join("");
}

async function* jsonText(pages: AsyncGenerator<WireEvent[]>): AsyncGenerator<string> {
  yield '{"events":[';
  let isFirst = true;
  for await (const events of pages) {
    for (const event of events) {
      yield `${isFirst ? "" : ","}\n${JSON.stringify(event)}`;
      isFirst = false;
    }
  }
  yield "\n]}\n";
}

function toStream(text: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await text.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await text.return(undefined);
    },
  });
}
