import { expect, it } from "bun:test";
import { renderTable } from "./table.ts";

it("shows missing measurements as a dash, not as zero", () => {
  const table = renderTable([
    {
      name: "nginx",
      title: "nginx",
      version: null,
      streamsVersion: null,
      error: "did not start",
      sustained: null,
      cpuUsInTurns: null,
      idle: null,
      latencyAtOne: { p50Us: 60, p99Us: 90, added: { p50Us: 37.4, p99Us: -2 }, quietRounds: 1 },
      latencyAtMany: null,
      streams: null,
      streamMsInTurns: null,
      held: null,
      peakResidentMb: null,
    },
  ]);
  const cells = new Map(table.split("\n").map(line => [line.slice(0, 38).trim(), line.slice(38).trim()]));
  expect(cells.get("CPU per call, µs")).toBe("–");
  expect(cells.get("added latency p50, 1 connection, µs")).toBe("+37");
  expect(cells.get("added latency p99, 1 connection, µs")).toBe("-2");
  expect(table).not.toMatch(/\s0(\.0+)?$/m);
});
