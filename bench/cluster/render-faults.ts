import type { FaultResult } from "./run-fault.ts";

const columns: readonly (readonly [title: string, value: (result: FaultResult) => string | number])[] = [
  ["calls", ({ clients }) => clients.calls],
  ["served", ({ counts }) => counts.served],
  ["events", ({ counts }) => counts.events],
  ["missing", ({ counts }) => counts.missing],
  ["doubled", ({ counts }) => counts.doubled],
  ["unserved", ({ counts }) => counts.unserved],
  ["failed", ({ clients }) => clients.failed],
  ["excused", ({ clients }) => clients.excused],
  ["p50 ms", ({ clients }) => clients.addedP50Ms.toFixed(1)],
  ["p99 ms", ({ clients }) => clients.addedP99Ms.toFixed(1)],
  ["slowest", ({ clients }) => clients.addedMaxMs.toFixed(0)],
  ["untimed", ({ clients }) => clients.untimed],
  ["followed s", ({ followedSeconds }) => followedSeconds?.toFixed(1) ?? "never"],
  ["verified", ({ verified }) => `${verified.filter(({ ok }) => ok).length}/${verified.length}`],
];

/** A row per fault. */
export function renderFaults(results: readonly FaultResult[]): string {
  const header = ["", ...columns.map(([title]) => title)];
  const rows = results.map(result => [result.title, ...columns.map(([, value]) => String(value(result)))]);
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map(row => row[column]?.length ?? 0)),
  );
  const rule = widths.map(width => "-".repeat(width));
  return [header, rule, ...rows]
    .map(row =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  "),
    )
    .join("\n");
}
