import { centsPerMillion } from "@tollgate/core/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import type { Command } from "../command.ts";

export const pricesList: Command = {
  name: "prices list",
  usage: "",
  summary: "lists every model that has a price, as calls are priced now",
  options: {},
  run(input) {
    const catalogue = createCatalogue(
      input.config.priceOverrides === null ? {} : { overrides: input.config.priceOverrides },
    );
    const prices = catalogue.models(new Date()).map(model => ({
      provider: model.provider,
      model: model.id,
      input_per_million_cents: centsPerMillion(model.inputRate),
      output_per_million_cents: centsPerMillion(model.outputRate),
    }));
    const text = prices
      .map(
        price =>
          `${price.provider.padEnd(10)} ${price.model.padEnd(44)} ` +
          `${String(price.input_per_million_cents).padStart(10)} in ${String(price.output_per_million_cents).padStart(10)} out`,
      )
      .join("\n");
    return { value: prices, text: `cents per million tokens\n${text}` };
  },
};
