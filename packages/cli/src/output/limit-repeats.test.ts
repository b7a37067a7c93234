import { describe, expect, it } from "bun:test";
import type { Log } from "@tollgate/core/log";
import { limitRepeats } from "./limit-repeats.ts";

const fault = { fault: "DatabaseUnavailable", at: "" };

function recordedLog() {
  const lines: unknown[] = [];
  let nowMs = 0;
  const record: Log = (level, message, fields) => lines.push([level, message, fields]);
  const log = limitRepeats(record, () => nowMs);
  return { lines, log, wait: (ms: number) => (nowMs += ms) };
}

describe("limitRepeats", () => {
  it("logs a fault that is retried every second once a minute, with the number of lines left out", () => {
    const { lines, log, wait } = recordedLog();
    for (let second = 0; second <= 120; second++) {
      log("error", "could not ship; retrying", fault);
      wait(1000);
    }
    expect(lines).toEqual([
      ["error", "could not ship; retrying", fault],
      ["error", "could not ship; retrying", { ...fault, repeated: 59 }],
      ["error", "could not ship; retrying", { ...fault, repeated: 59 }],
    ]);
  });

  it("logs faults that differ in their message, level or fields each", () => {
    const { lines, log } = recordedLog();
    log("error", "could not ship; retrying", fault);
    log("error", "could not copy; retrying", fault);
    log("warn", "could not ship; retrying", fault);
    log("error", "could not ship; retrying", { ...fault, reader: "alerts" });
    expect(lines).toHaveLength(4);
  });

  it("logs a fault again that comes back after a change for the better", () => {
    const { lines, log } = recordedLog();
    log("error", "the ledger cannot be written", fault);
    log("info", "the ledger can be written again");
    log("error", "the ledger cannot be written", fault);
    expect(lines).toHaveLength(3);
  });

  it("leaves out no line that is not a fault", () => {
    const { lines, log } = recordedLog();
    for (let n = 0; n < 3; n++) log("error", "the control ended with code 1; restarting it", { restarts: 1 });
    expect(lines).toHaveLength(3);
  });
});
