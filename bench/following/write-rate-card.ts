import { RATE_SCALE } from "@tollgate/core/money/money";
import { usageKinds } from "@tollgate/core/money/usage";
import { openForWriting } from "@tollgate/storage/engine/sqlite";

export const PRICE_VERSION = "bench";

/** The rates by which `sampleTraffic` prices its events: without them no cost could be split by kind. */
export function writeRateCard(ledgerPath: string): void {
  const rateOf = { input: 3n, output: 12n } as const;
  const isPriced = (kind: string): kind is keyof typeof rateOf => kind in rateOf;
  const rates = usageKinds.map(kind => [kind, String(RATE_SCALE * (isPriced(kind) ? rateOf[kind] : 0n))]);
  const card = {
    aboveInputTokens: null,
    condition: "standard",
    effectiveFrom: null,
    model: "model-0",
    provider: "openai",
    rates: Object.fromEntries(rates),
    source: "bench",
  };
  const database = openForWriting(ledgerPath, "normal");
  database
    .query("INSERT INTO rate_cards (version, card) VALUES (?, ?)")
    .run(PRICE_VERSION, JSON.stringify(card));
  database.close();
}
