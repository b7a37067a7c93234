/** One table: a column per target, a row per number. A dash means not measured, never zero. */
import type { TargetResult } from "./measures/target-result.ts";

interface Row {
  readonly label: string;
  readonly value: (result: TargetResult) => string | null;
}

const NOT_MEASURED = "–";

const fixed = (digits: number, value: number | null | undefined): string | null =>
  value == null ? null : value.toFixed(digits);

const percent = (share: number | null | undefined): number | null => (share == null ? null : 100 * share);

/** For the upstream itself there is nothing to subtract: its own time is in brackets. */
function added(extra: number | null | undefined, own: number | undefined, digits = 0): string | null {
  if (extra != null) return `${extra < 0 ? "" : "+"}${extra.toFixed(digits)}`;
  return own === undefined ? null : `(${own.toFixed(digits)})`;
}

const rows: readonly Row[] = [
  { label: "calls measured", value: ({ sustained }) => sustained?.calls.toLocaleString("en-US") ?? null },
  { label: "CPU per call, µs", value: ({ sustained }) => fixed(1, sustained?.cpuUsPerCall) },
  { label: "  in turns with the floor, µs", value: ({ cpuUsInTurns }) => fixed(1, cpuUsInTurns) },
  { label: "  its other processes, µs", value: ({ sustained }) => fixed(1, sustained?.othersCpuUsPerCall) },
  { label: "  when idle, % of a core", value: ({ idle }) => fixed(1, percent(idle?.cpu)) },
  { label: "stolen by the hypervisor, %", value: ({ sustained }) => fixed(1, percent(sustained?.stolen)) },
  { label: "calls/s, 32 connections", value: ({ sustained }) => fixed(0, sustained?.callsPerSecond) },
  {
    label: "added latency p50, 1 connection, µs",
    value: ({ latencyAtOne: at }) => added(at?.added?.p50Us, at?.p50Us),
  },
  {
    label: "added latency p99, 1 connection, µs",
    value: ({ latencyAtOne: at }) => added(at?.added?.p99Us, at?.p99Us),
  },
  {
    label: "added latency p50, 32 connections, µs",
    value: ({ latencyAtMany: at }) => added(at?.added?.p50Us, at?.p50Us),
  },
  {
    label: "added latency p99, 32 connections, µs",
    value: ({ latencyAtMany: at }) => added(at?.added?.p99Us, at?.p99Us),
  },
  {
    label: "memory at half of the calls, MB",
    value: ({ sustained }) => fixed(1, sustained?.residentMbAtHalf),
  },
  {
    label: "memory at the end of the calls, MB",
    value: ({ sustained }) => fixed(1, sustained?.residentMbAtEnd),
  },
  {
    label: "  its other processes, MB",
    value: ({ sustained }) => fixed(1, sustained?.othersResidentMb),
  },
  { label: "memory of all processes at rest, MB", value: ({ idle }) => fixed(1, idle?.memoryMb) },
  {
    label: "memory trend over the second half, MB",
    value: ({ sustained }) => fixed(1, sustained?.growthMb),
  },
  {
    label: "streams measured, 300 at a time",
    value: ({ streams }) => streams?.streams.toLocaleString("en-US") ?? null,
  },
  { label: "CPU per stream of 60 chunks, ms", value: ({ streams }) => fixed(2, streams?.cpuMsPerStream) },
  { label: "  in turns with the floor, ms", value: ({ streamMsInTurns }) => fixed(2, streamMsInTurns) },
  {
    label: "added time to first chunk p50, ms",
    value: ({ streams }) =>
      added(
        streams?.addedFirstChunkP50Us == null ? null : streams.addedFirstChunkP50Us / 1000,
        streams === null ? undefined : streams.firstChunkP50Us / 1000,
        2,
      ),
  },
  { label: "memory with 1,000 open streams, MB", value: ({ held }) => fixed(1, held?.residentMb) },
  { label: "peak memory, MB", value: ({ peakResidentMb }) => fixed(1, peakResidentMb) },
];

export function renderTable(results: readonly TargetResult[]): string {
  const header = ["", ...results.map(result => result.name)];
  const body = rows.map(row => [row.label, ...results.map(result => row.value(result) ?? NOT_MEASURED)]);
  const widths = header.map((_, column) =>
    Math.max(...[header, ...body].map(line => line[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  const rule = widths.map(width => "-".repeat(width));
  return [header, rule, ...body].map(line).join("\n");
}
