import { centsPerMillion } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { providerIds } from "@tollgate/core/provider-id";
import type { Command } from "./command.ts";
import { oneOf } from "./command-options.ts";

export const pricesList: Command = {
  name: "prices list",
  usage: "[--provider P] [--model TEXT]",
  summary: "lists every model that has a price, or those whose name contains TEXT, as calls are priced now",
  options: { provider: { type: "string" }, model: { type: "string" } },
  run(input) {
    const provider = oneOf(input, "provider", providerIds);
    const part = typeof input.options.model === "string" ? input.options.model.toLowerCase() : "";
    const catalogue = createCatalogue(
      input.config.priceOverrides === null ? {} : { overrides: input.config.priceOverrides },
    );
    const wanted = catalogue
      .models(new Date())
      .filter(model => provider === undefined || model.provider === provider)
      .filter(model => model.id.toLowerCase().includes(part));
    const prices = wanted.map(model => ({
      provider: model.provider,
      model: model.id,
      input_per_million_cents: centsPerMillion(model.inputRate),
      output_per_million_cents: centsPerMillion(model.outputRate),
    }));
    const lines = prices.map(
      price =>
        `${price.provider.padEnd(10)} ${price.model.padEnd(44)} ` +
        `${inDollars(price.input_per_million_cents)} in ${inDollars(price.output_per_million_cents)} out`,
    );
    return {
      value: prices,
      text: lines.length === 0 ? "no such model" : `dollars per million tokens\n${lines.join("\n")}`,
    };
  },
};

/** No price has nine decimals, so this cuts off only the noise of binary fractions. */
function inDollars(cents: number): string {
  return String(Number((cents / 100).toFixed(9))).padStart(10);
}
