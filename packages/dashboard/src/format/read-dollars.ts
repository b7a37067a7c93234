import { dollarsToMicrocents } from "@tollgate/core/money/dollars-to-microcents";
import type { Microcents } from "@tollgate/core/money/money";

/** 1,234,567.50 or 1 234 567.50. A leading 0 is not of a group: 0,150 is less than a dollar. */
const grouped = /^[1-9]\d{0,2}(?:([,\s])\d{3})(?:\1\d{3})*(?:\.\d+)?$/;

/**
 * Dollars, typed as people write them: "$1,234.50"; null: not an amount. Many write a decimal comma: without the groups of
 * thousands "12,50" is refused, because it must not become 1,250.
 */
export function readDollars(text: string): Microcents | null {
  const typed = text.trim().replace(/^\$\s*/, "");
  return dollarsToMicrocents(grouped.test(typed) ? typed.replace(/[,\s]/g, "") : typed);
}
