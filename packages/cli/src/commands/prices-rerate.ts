import type { Event, Mode } from "@tollgate/core/event";
import { type Catalogue, createCatalogue } from "@tollgate/core/pricing/catalogue";
import { adjustmentOf, type Rerating, rerate } from "@tollgate/core/pricing/rerate";
import { DAY_MS } from "@tollgate/core/time/durations";
import { rateCardFinder } from "@tollgate/storage/ledger/rate-card-finder";
import { requireOrganization } from "../accounts/require-organization.ts";
import { UsageError } from "../config/usage-error.ts";
import { withControlStore, withLedgerReader } from "../data-directory/open-store.ts";
import { hasOtherPrices } from "../data-directory/prices-in-use.ts";
import { showAmount } from "../output/show-amount.ts";
import type { Command, CommandInput, CommandResult } from "./command.ts";
import { requireOption, requireTime } from "./command-options.ts";

const OTHER_PRICES =
  "Tollgate was last started with another SVC_PRICES_FILE, or with another content of it: set the same file here, or restart Tollgate with this one";
const BATCH = 5000;
const MAX_NAMED = 20;

export const pricesRerate: Command = {
  name: "prices rerate",
  usage: "--from DATE --to DATE --org ID [--apply [--force]]",
  summary: "recomputes costs at current prices; shows the difference, and books it with --apply",
  options: {
    from: { type: "string" },
    to: { type: "string" },
    org: { type: "string" },
    apply: { type: "boolean" },
    force: { type: "boolean" },
  },
  async run(input) {
    const from = requireTime(input, "from");
    const to = requireTime(input, "to") + (isWholeDay(input.options.to) ? DAY_MS : 0);
    if (to <= from) throw new UsageError("--to must be after --from");
    const orgId = requireOption(input, "org");
    const { priceOverrides: overrides } = input.config;
    const isApplied = input.options.apply === true;
    const isOtherPrices = hasOtherPrices(input.config);
    if (isOtherPrices && isApplied && input.options.force !== true) {
      throw new UsageError(`${OTHER_PRICES}; nothing was booked (--force books it nevertheless)`);
    }
    if (isOtherPrices) input.note(`WARNING: ${OTHER_PRICES}`);
    return await withControlStore(
      input.config,
      async store => {
        await requireOrganization(store, orgId);
        const catalogue = createCatalogue({
          ofOrganization: await store.pricesOf(orgId),
          ...(overrides === null ? {} : { overrides }),
        });
        const found = await findChanges(input, { orgId, from, to }, catalogue, await store.adjustments());
        if (isApplied) await store.bookReratings(orgId, found.changes, Date.now());
        return toResult(found, isApplied, isOtherPrices);
      },
      { command: "svc prices rerate" },
    );
  },
};

interface Found {
  events: number;
  readonly changes: Rerating[];
  /** Test traffic costs no money. */
  readonly differences: Record<Mode, number>;
  readonly byModel: Map<string, ModelChange>;
  readonly unpriced: Map<string, UnpricedModel>;
}

/** Reads the whole ledger: events are ordered by their commits, not by time. */
async function findChanges(
  { config, note }: CommandInput,
  { orgId, from, to }: { readonly orgId: string; readonly from: number; readonly to: number },
  catalogue: Catalogue,
  booked: ReadonlyMap<string, number>,
): Promise<Found> {
  const found: Found = {
    events: 0,
    changes: [],
    differences: { live: 0, test: 0 },
    byModel: new Map(),
    unpriced: new Map(),
  };
  await withLedgerReader(config, reader => {
    let cursor = 0;
    const findCard = rateCardFinder(reader);
    for (let batch = reader.after(0, BATCH); batch.length > 0; batch = reader.after(cursor, BATCH)) {
      for (const { seq, event } of batch) {
        cursor = seq;
        if (event.org_id !== orgId || event.created_at < from || event.created_at >= to) continue;
        found.events++;
        const adjusted = booked.get(event.id);
        const card = event.price_version === null ? null : findCard(event.price_version);
        const rerating = rerate(event, card, catalogue);
        const change = adjustmentOf(rerating, adjusted);
        if (isStillUnpriced(rerating, adjusted)) countUnpriced(found.unpriced, rerating);
        if (!change) continue;
        found.changes.push(rerating);
        found.differences[event.mode] += change.amount_microcents;
        const current = event.cost_microcents + (adjusted ?? 0);
        addTo(found.byModel, event, current, change.amount_microcents);
      }
      note(`${found.events} events checked…`);
    }
  });
  return found;
}

function toResult(found: Found, isApplied: boolean, isOtherPrices: boolean): CommandResult {
  const { events, changes, differences } = found;
  const unpricedModels = [...found.unpriced.values()].toSorted((a, b) => b.calls - a.calls);
  const value = {
    events,
    changed: changes.length,
    difference_microcents: differences.live,
    test_difference_microcents: differences.test,
    by_model: [...found.byModel.values()],
    unpriced_calls: unpricedModels.reduce((sum, { calls }) => sum + calls, 0),
    unpriced_models: unpricedModels.slice(0, MAX_NAMED),
    omitted_unpriced_models: Math.max(0, unpricedModels.length - MAX_NAMED),
    applied: isApplied,
    other_prices: isOtherPrices,
  };
  const lines = value.by_model.map(
    row =>
      `${row.model}${row.mode === "test" ? " (test)" : ""}: ${row.events} events, ${showAmount(row.before_microcents)} → ${showAmount(row.after_microcents)}`,
  );
  const result = isApplied ? "booked." : "nothing was booked: run it again with --apply.";
  const last = changes.length === 0 ? "nothing to change at the prices known now." : result;
  return {
    value,
    text: [
      `${events} events, ${changes.length} differ by ${showAmount(differences.live)} live, ${showAmount(differences.test)} test`,
      ...lines,
      ...unpricedLines(value),
      last,
    ].join("\n"),
  };
}

interface ModelChange {
  readonly model: string;
  readonly mode: Mode;
  events: number;
  before_microcents: number;
  after_microcents: number;
}

function addTo(
  byModel: Map<string, ModelChange>,
  { model, mode }: Event,
  before: number,
  amount: number,
): void {
  const key = JSON.stringify([model, mode]);
  const row = byModel.get(key) ?? { model, mode, events: 0, before_microcents: 0, after_microcents: 0 };
  row.events++;
  row.before_microcents += before;
  row.after_microcents += before + amount;
  byModel.set(key, row);
}

interface UnpricedModel {
  readonly provider: string;
  readonly model: string;
  calls: number;
}

/** Neither this rerating nor an earlier one knows its cost. */
function isStillUnpriced({ event, rerated }: Rerating, adjustedMicrocents: number | undefined): boolean {
  return event.cost_basis === "unpriced" && rerated === null && adjustedMicrocents === undefined;
}

function countUnpriced(unpriced: Map<string, UnpricedModel>, { event: { provider, model } }: Rerating): void {
  const key = JSON.stringify([provider, model]);
  const row = unpriced.get(key) ?? { provider, model, calls: 0 };
  row.calls++;
  unpriced.set(key, row);
}

function unpricedLines(found: {
  readonly unpriced_calls: number;
  readonly unpriced_models: readonly UnpricedModel[];
  readonly omitted_unpriced_models: number;
}): string[] {
  if (found.unpriced_calls === 0) return [];
  return [
    `${found.unpriced_calls} events still have no price; their cost is unknown, and in no sum:`,
    ...found.unpriced_models.map(({ provider, model, calls }) => `  ${provider}/${model}: ${calls}`),
    ...(found.omitted_unpriced_models === 0 ? [] : [`  and ${found.omitted_unpriced_models} other models`]),
  ];
}

/** A date means the whole day: `--from 2026-11-15 --to 2026-11-15` covers that day. */
function isWholeDay(text: unknown): boolean {
  return typeof text === "string" && /^\d{4}-\d{2}-\d{2}$/.test(text);
}
