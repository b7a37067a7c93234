import { fail } from "@tollgate/core/errors";
import type { Position } from "@tollgate/storage/read-model/page";
import type { EventFilter } from "@tollgate/storage/read-model/queries/event-queries";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { historyBeginsAt } from "../../kernel/history-begins-at.ts";
import { csvHeader, csvLine } from "./event-csv.ts";
import { eventFilter } from "./event-filter.ts";
import { agentIds, toListedEvent, type WireEvent } from "./to-listed-event.ts";

const PAGE = 500;
/** An export runs as fast as its client reads, so without a limit one organization could use up the server. */
const MAX_AT_ONCE = 3;

const running = new Map<string, number>();

/** Reads page by page as the client reads, so an export of any length needs the memory of one page. */
export const eventsExport: Handler<"events.export"> = async (context, input) => {
  const filter = await eventFilter(context, input);
  const { orgId } = context.scope;
  const beginsAt = await historyBeginsAt(context);
  const release = takeSlot(orgId);
  const pages = eventPages(context, filter);
  const text = input.format === "csv" ? csvText(pages) : jsonText(pages);
  const type = input.format === "csv" ? "text/csv; charset=utf-8" : "application/json";
  return new Response(toStream(text, release), {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="events.${input.format}"`,
      ...(beginsAt !== null && { "x-history-begins-at": beginsAt }),
    },
  });
};

/** Before the first page is read: a client may ask for many exports, and read none of them. */
function takeSlot(orgId: string): () => void {
  const count = running.get(orgId) ?? 0;
  if (count >= MAX_AT_ONCE) {
    const sentence = `${MAX_AT_ONCE} exports of this organization are running; wait for one of them to finish`;
    throw fail("rate_limited", sentence, {}, { "retry-after": "5" });
  }
  running.set(orgId, count + 1);
  let isTaken = true;
  return () => {
    if (!isTaken) return;
    isTaken = false;
    const left = (running.get(orgId) ?? 1) - 1;
    if (left === 0) running.delete(orgId);
    else running.set(orgId, left);
  };
}

async function* eventPages(context: Context, filter: EventFilter): AsyncGenerator<WireEvent[]> {
  let after: Position | undefined;
  do {
    const page = await context.readModel.events(context.scope, filter, PAGE, after);
    const ids = await agentIds(context, page.rows);
    yield page.rows.map(row => toListedEvent(row, ids));
    after = page.next ?? undefined;
    // The embedded database answers without yielding, so other requests need a turn between two pages.
    await new Promise(resolve => setTimeout(resolve, 0));
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
    if (events.length === 0) continue;
    yield (isFirst ? "\n" : ",\n") + events.map(event => JSON.stringify(event)).join(",\n");
    isFirst = false;
  }
  yield "\n]}\n";
}

function toStream(text: AsyncGenerator<string>, ended: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await text.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        ended();
        controller.close();
      } catch (fault) {
        ended();
        throw fault;
      }
    },
    async cancel() {
      ended();
      await text.return(undefined);
    },
  });
}
