/**
 * `npm run prices:compare`: a second opinion on our prices. Compares every rate of LiteLLM's public table with the
 * catalogue. Exits with 1 if a difference is not explained in explained.json, or if an explained one no longer exists.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { compareRates, onlyInCatalogue } from "./compare-rates.ts";
import { downloadTable } from "./download-table.ts";
import { explain } from "./explain.ts";
import explanations from "./explained.json";
import { readLitellmTable } from "./litellm-table.ts";

const { values: options } = parseArgs({
  options: {
    /** A table on disk instead of the one on PyPI. */
    table: { type: "string" },
    /** A release of LiteLLM; default: the newest. */
    version: { type: "string" },
    /** Compares prices on another date. */
    date: { type: "string" },
  },
});

const { archive, table } =
  options.table === undefined
    ? downloadTable(options.version ?? null)
    : { archive: options.table, table: JSON.parse(readFileSync(options.table, "utf8")) as unknown };
const at = options.date === undefined ? new Date() : new Date(options.date);
const catalogue = createCatalogue();
const models = readLitellmTable(table);
const differences = compareRates(models, catalogue, at);
const { unexplained, stale } = explain(differences, explanations);
const ours = onlyInCatalogue(models, catalogue, at);

const rates = models.reduce((sum, model) => sum + model.rates.length, 0);
console.log(`${archive}: ${models.length} models, ${rates} rates of openai, anthropic, google and xai`);
console.log(`${ours.length} models that only Tollgate prices: ${ours.join(", ")}`);
for (const line of unexplained) console.log(`not explained: ${line}`);
for (const line of stale) console.log(`explained, but gone: ${line}`);
console.log(
  `${differences.length} differences, ${unexplained.length} not explained; ${stale.length} explanations without one`,
);
process.exit(unexplained.length + stale.length === 0 ? 0 : 1);
