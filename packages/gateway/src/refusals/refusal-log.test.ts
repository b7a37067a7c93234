import { describe, expect, it } from "bun:test";
import { fail } from "@tollgate/core/errors";
import { limitsOf } from "@tollgate/core/limits/tiers";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import type { RefusalBatch } from "@tollgate/storage/ledger/refusal-store";
import { BudgetExceeded } from "../budgets/budget-refusal.ts";
import { MAX_COUNTED_APART, MAX_LISTED_A_MINUTE, RefusalLog } from "./refusal-log.ts";

const HOUR = Date.parse("2026-11-15T12:00:00Z");

function callerOf(keyId: string, orgId = "org"): GatewayCaller {
  return {
    keyId,
    mode: "live",
    permission: "write",
    orgId,
    tier: "enterprise",
    status: "active",
    limits: limitsOf("enterprise", { burstPerMinute: null, monthlyCalls: null }),
    hashSalt: "00",
  };
}

function openLog() {
  const batches: RefusalBatch[] = [];
  const logged: string[] = [];
  const clock = { nowMs: HOUR };
  const sink = { isBroken: false };
  const log = new RefusalLog(
    {
      async recordRefusals(batch) {
        if (sink.isBroken) throw new Error("the disk is full");
        batches.push(batch);
      },
    },
    () => clock.nowMs,
    (_, message) => logged.push(message),
  );
  return {
    log,
    clock,
    sink,
    logged,
    batches,
    refusals: () => batches.flatMap(batch => batch.refusals),
    counts: () => batches.flatMap(batch => batch.counts),
    counted: () => batches.flatMap(batch => batch.counts).reduce((sum, { calls }) => sum + calls, 0),
  };
}

const limited = () => fail("rate_limited", "too many", { limit: 10 });

describe("the log of refused calls", () => {
  it("WEB-019 counts every call of a herd, and lists a few of each minute and reason", async () => {
    const { log, clock, refusals, counts } = openLog();
    const caller = callerOf("key");
    for (let call = 0; call < 50_000; call++) log.note(caller, "default", limited());
    log.note(caller, "default", fail("agent_paused", "paused"));
    await log.flush();
    expect(counts().map(({ reason, calls }) => [reason, calls])).toEqual([
      ["rate_limited", 50_000],
      ["agent_paused", 1],
    ]);
    expect(refusals().map(({ reason }) => reason)).toEqual([
      ...new Array(MAX_LISTED_A_MINUTE).fill("rate_limited"),
      "agent_paused",
    ]);
    clock.nowMs += 60_000;
    log.note(caller, "default", limited());
    await log.flush();
    expect(refusals().at(-1)).toEqual({
      orgId: "org",
      mode: "live",
      createdAtMs: HOUR + 60_000,
      keyId: "key",
      agentKey: "default",
      reason: "rate_limited",
      limit: 10,
      budgetId: null,
    });
  });

  it("WEB-019 counts invented agents together beyond a number, per organization, and loses none", async () => {
    const { log, clock, counts, counted } = openLog();
    for (let call = 0; call < 10_000; call++) log.note(callerOf("key"), `agent ${call}`, limited());
    log.note(callerOf("other key", "other organization"), "agent", limited());
    await log.flush();
    expect(counted()).toBe(10_001);
    expect(counts()).toHaveLength(MAX_COUNTED_APART + 2);
    expect(counts()[MAX_COUNTED_APART]).toMatchObject({
      agentKey: "",
      keyId: "",
      reason: "rate_limited",
      calls: 10_000 - MAX_COUNTED_APART,
    });
    // The next hour begins anew.
    clock.nowMs += 3_600_000;
    log.note(callerOf("key"), "agent 9999", limited());
    await log.flush();
    expect(counts().at(-1)).toMatchObject({ hour: HOUR + 3_600_000, agentKey: "agent 9999", calls: 1 });
  });

  it("WEB-019 writes in small transactions, so that calls do not wait for a large one", async () => {
    const { log, batches, counted } = openLog();
    for (let org = 0; org < 1000; org++) log.note(callerOf("key", `org ${org}`), "default", limited());
    await log.flush();
    expect(counted()).toBe(1000);
    for (const { refusals, counts } of batches) expect(refusals.length + counts.length).toBeLessThan(500);
  });

  it("WEB-019 drops what cannot be written, says so, and goes on", async () => {
    const { log, sink, logged, counted } = openLog();
    sink.isBroken = true;
    log.note(callerOf("key"), "default", limited());
    await log.flush();
    expect(logged).toEqual(["refused calls could not be recorded"]);
    sink.isBroken = false;
    log.note(callerOf("key"), "default", limited());
    await log.close();
    expect(counted()).toBe(1);
  });

  it("WEB-019 names the budget that refused a call", async () => {
    const { log, refusals } = openLog();
    log.note(callerOf("key"), null, new BudgetExceeded("budget", "it is spent", { limit: 5 }));
    await log.flush();
    expect(refusals()).toMatchObject([
      { reason: "budget_exceeded", budgetId: "budget", limit: 5, agentKey: null },
    ]);
  });
});
