import type { WireEvent } from "./to-listed-event.ts";

const columns = [
  "id",
  "created_at",
  "agent_id",
  "agent_key",
  "session_id",
  "customer_id",
  "config_version",
  "provider",
  "model",
  "served_model",
  "status",
  "http_status",
  "error_code",
  "latency_ms",
  "ttft_ms",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "adjustment_microcents",
  "cost_basis",
  "usage_source",
  "source",
  "endpoint",
  "stream",
  "is_unpriced",
  "key_id",
] as const satisfies readonly (keyof WireEvent)[];

export const csvHeader = `${columns.join(",")}\r\n`;

export function csvLine(event: WireEvent): string {
  return `${columns.map(column => csvCell(cellValue(event, column))).join(",")}\r\n`;
}

/** An unknown amount is empty: a spreadsheet would treat 0 as a price and lower the mean. */
function cellValue(event: WireEvent, column: (typeof columns)[number]): string | number | boolean | null {
  switch (column) {
    case "cost_microcents":
      return event.cost_basis === "unpriced" ? null : event.cost_microcents;
    case "adjustment_microcents":
      return event.is_unpriced ? null : event.adjustment_microcents;
    default:
      return event[column];
  }
}

/**
 * A spreadsheet executes text that begins like a formula. Ids and labels come from clients, so such text gets a
 * leading apostrophe; numbers are ours and stay numbers.
 */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
