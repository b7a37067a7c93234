import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { PriceOverrides } from "@tollgate/core/pricing/overrides";
import type { Config } from "../config/config.ts";
import { dataFiles } from "./data-files.ts";

/** Remembers which price file Tollgate was last started with, for commands run from another environment. */
export function rememberPricesInUse({ dataDir, priceOverrides }: Config): void {
  const { pricesInUse } = dataFiles(dataDir);
  writeFileSync(`${pricesInUse}.new`, `${digestOf(priceOverrides)}\n`);
  renameSync(`${pricesInUse}.new`, pricesInUse);
}

/** False if it is unknown, because no version that remembers it was started yet. */
export function hasOtherPrices({ dataDir, priceOverrides }: Config): boolean {
  try {
    return readFileSync(dataFiles(dataDir).pricesInUse, "utf8").trim() !== digestOf(priceOverrides);
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return false;
    throw fault;
  }
}

/** Of the prices, not of the file: its formatting has no meaning. */
function digestOf(overrides: PriceOverrides | null): string {
  if (overrides === null) return "no file";
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(overrides)).digest("hex");
}
