import { describe, expect, it } from "bun:test";
import type { Log } from "@tollgate/core/log";
import { limitRepeats } from "./limit-repeats.ts";

const fault = { fault: "DatabaseUnavailable", at: "" };

function recordedLog() {
  const lines: unknown[] = [];
  let nowMs = 0;
  const record: Log = (level, message, fields) => lines.push([level, message, fields]);
  const timers: { readonly atMs: number; readonly run: () => void }[] = [];
  const log = limitRepeats(record, {
    nowMs: () => nowMs,
    after: (ms, run) => timers.push({ atMs: nowMs + ms, run }),
  });
  const wait = (ms: number) => {
    nowMs += ms;
    for (const due of timers.filter(({ atMs }) => atMs <= nowMs)) {
      timers.splice(timers.indexOf(due), 1);
      due.run();
    }
  };
  return { lines, log, wait };
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
      ["error", "could not ship; retrying", { ...fault, repeated: 60 }],
    ]);
  });

  it("logs the count of a fault that has stopped at the end of its minute", () => {
    const { lines, log, wait } = recordedLog();
    for (let n = 0; n < 5; n++) log("error", "could not ship; retrying", fault);
    wait(59_999);
    expect(lines).toEqual([["error", "could not ship; retrying", fault]]);
    wait(1);
    expect(lines.slice(1)).toEqual([["error", "could not ship; retrying", { ...fault, repeated: 4 }]]);
    wait(600_000);
    expect(lines).toHaveLength(2);
    log("error", "could not ship; retrying", fault);
    expect(lines.slice(2)).toEqual([["error", "could not ship; retrying", fault]]);
  });

  it("logs the count of a fault once, before the line that says it is over", () => {
    const { lines, log, wait } = recordedLog();
    for (let n = 0; n < 3; n++) log("error", "the ledger cannot be written", fault);
    log("info", "the ledger can be written again");
    wait(60_000);
    expect(lines).toEqual([
      ["error", "the ledger cannot be written", fault],
      ["error", "the ledger cannot be written", { ...fault, repeated: 2 }],
      ["info", "the ledger can be written again", undefined],
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
