import type { InputOf, OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import { fail } from "@tollgate/core/errors";
import { type HistoryWindow, historyWindow } from "@tollgate/core/limits/history-window";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import type { RateCard } from "@tollgate/core/pricing/rates";
import { type Rerating, rerate } from "@tollgate/core/pricing/rerate";
import { bookReratings, compareReratings } from "@tollgate/storage/config/book-reratings";
import type { Position } from "@tollgate/storage/read-model/page";
import type { Context } from "../../kernel/context.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { sumReratings } from "./sum-reratings.ts";

type Asked = InputOf<Operations["prices.rerating.preview"]>;
type Answer = OutputOf<Operations["prices.rerating.preview"]>;

const PAGE = 500;
/** All of them are read within one request; the command line has no such bound. */
const MAX_CALLS = 50_000;

const running = new Set<string>();

export async function previewRerating(context: Context, asked: Asked): Promise<Answer> {
  return await withReratings(context, asked, async (window, reratings) => {
    const compared = await compareReratings(context.db, context.engine, reratings);
    return { period: toPeriod(window), applied: false, ...sumReratings(compared) };
  });
}

export async function applyRerating(context: Context, asked: Asked): Promise<Answer> {
  const { db, engine, organization, now } = context;
  return await withReratings(context, asked, async (window, reratings) => {
    const compared = await db
      .transaction()
      .execute(transaction => bookReratings(transaction, engine, organization.id, reratings, now()));
    return { period: toPeriod(window), applied: true, ...sumReratings(compared) };
  });
}

/** One at a time for each organization: it reads more than any other request. */
async function withReratings(
  context: Context,
  asked: Asked,
  work: (window: HistoryWindow, reratings: readonly Rerating[]) => Promise<Answer>,
): Promise<Answer> {
  const { id } = context.organization;
  if (running.has(id)) {
    const sentence = "A rerating of this organization is running; wait for it to finish";
    throw fail("rate_limited", sentence, {}, { "retry-after": "1" });
  }
  running.add(id);
  try {
    const window = historyWindow(asked, context.organization.tier, context.now());
    const catalogue = context.catalogueWith(await ownPrices(context, asked, window));
    return await work(window, await readReratings(context, asked, window, catalogue));
  } finally {
    running.delete(id);
  }
}

async function ownPrices({ db, organization }: Context, asked: Asked, { from }: HistoryWindow) {
  const prices = await db
    .selectFrom("price_overrides")
    .select(["provider", "model", "prices", "effective_from as effectiveFromMs"])
    .where("org_id", "=", organization.id)
    .orderBy("effective_from", "desc")
    .orderBy("id", "desc")
    .execute();
  if (asked.own_prices === "as_set") return prices;
  const inForce = Map.groupBy(prices, ({ provider, model }) => `${provider} ${model}`);
  return [...inForce.values()].flatMap(([newest]) =>
    newest === undefined ? [] : [{ ...newest, effectiveFromMs: Math.min(newest.effectiveFromMs, from) }],
  );
}

async function readReratings(
  { readModel, scope }: Context,
  { model, provider }: Asked,
  window: HistoryWindow,
  catalogue: Catalogue,
): Promise<Rerating[]> {
  const filter = {
    ...window,
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
  };
  const cards = new Map<string, RateCard>();
  const reratings: Rerating[] = [];
  let after: Position | undefined;
  do {
    const page = await readModel.events(scope, filter, PAGE, after);
    const missing = new Set(page.rows.flatMap(({ event }) => event.price_version ?? []));
    for (const version of cards.keys()) missing.delete(version);
    for (const [version, card] of readModel.rateCards(missing)) cards.set(version, card);
    for (const { event } of page.rows) {
      const booked = event.price_version === null ? undefined : cards.get(event.price_version);
      reratings.push(rerate(event, booked ?? null, catalogue));
    }
    after = page.next ?? undefined;
    if (reratings.length + (after === undefined ? 0 : 1) > MAX_CALLS) {
      const sentence = `The period has more than ${MAX_CALLS.toLocaleString("en-US")} calls: choose a shorter one, or one model`;
      throw fail("invalid_request", sentence);
    }
    // The embedded database answers without yielding, so other requests need a turn between two pages.
    await new Promise(resolve => setTimeout(resolve, 0));
  } while (after !== undefined);
  return reratings;
}
