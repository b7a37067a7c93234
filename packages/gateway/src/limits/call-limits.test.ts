import { describe, expect, it } from "bun:test";
import { TollgateError } from "@tollgate/core/errors";
import { tiers } from "@tollgate/core/limits/tiers";
import { CallLimits } from "./call-limits.ts";

const live = { orgId: "o", mode: "live" } as const;
const test = { orgId: "o", mode: "test" } as const;
const now = Date.parse("2026-11-15T12:00:00.000Z");

function refused(
  limits: CallLimits,
  at: number,
  limit = tiers.starter,
  org: typeof live | typeof test = live,
) {
  try {
    limits.check({ ...org, limits: limit }, at);
  } catch (fault) {
    if (fault instanceof TollgateError) return fault;
    throw fault;
  }
  return null;
}

function fill(limits: CallLimits, count: number, from: number, stepMs = 0): void {
  for (let call = 0; call < count; call++) limits.take(live, from + call * stepMs);
}

describe("call limits", () => {
  it("LIM-006 reports limit, current, reset_at and retry_after, in the body and in headers", () => {
    const limits = new CallLimits(() => 0);
    fill(limits, 10, now, 1000);
    const error = refused(limits, now + 9500);
    expect(error?.code).toBe("rate_limited");
    expect(error?.body).toEqual({
      error: "rate limit of 10 calls a minute exceeded",
      limit: 10,
      current: 10,
      reset_at: "2026-11-15T12:01:00.000Z",
      retry_after: 51,
    });
    expect(error?.headers).toEqual({
      "ratelimit-limit": "10",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "51",
      "retry-after": "51",
    });
  });

  it("LIM-007 the reported wait is sufficient, and not a second too long", () => {
    const limits = new CallLimits(() => 0);
    fill(limits, 10, now);
    const wait = Number(refused(limits, now + 1)?.body.retry_after) * 1000;
    expect(refused(limits, now + 1 + wait - 1000)).not.toBeNull();
    expect(refused(limits, now + 1 + wait)).toBeNull();
  });

  it("LIM-008 counts the UTC month: beyond the limit it is 429 until the next month starts", () => {
    for (const [at, resetAt] of [
      ["2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00.000Z"],
      ["2026-12-31T23:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ] as const) {
      const limits = new CallLimits((_org, month) => (month === at.slice(0, 7) ? 9999 : 0));
      expect(refused(limits, Date.parse(at))).toBeNull();
      limits.take(live, Date.parse(at));
      const error = refused(limits, Date.parse(at));
      expect(error?.body).toMatchObject({ limit: 10_000, current: 10_000, reset_at: resetAt });
      expect(refused(limits, Date.parse(resetAt) - 1)).not.toBeNull();
      expect(refused(limits, Date.parse(resetAt))).toBeNull();
    }
  });

  it("LIM-004 enterprise has no monthly limit", () => {
    expect(refused(new CallLimits(() => 1_000_000_000), now, tiers.enterprise)).toBeNull();
  });

  it("GW-048 test calls have their own window and no monthly count", () => {
    const limits = new CallLimits(() => 10_000);
    fill(limits, 10, now);
    expect(refused(limits, now, tiers.starter, test)).toBeNull();
    for (let call = 0; call < 10; call++) limits.take(test, now);
    expect(refused(limits, now, tiers.starter, test)?.code).toBe("rate_limited");
  });

  it("GW-045 a test call does not count toward the live limit", () => {
    const limits = new CallLimits(() => 0);
    for (let call = 0; call < 500; call++) limits.take(test, now);
    expect(refused(limits, now)).toBeNull();
    expect(limits.headers({ ...live, limits: tiers.starter }, now)["ratelimit-remaining"]).toBe("10");
  });

  it("LIM-007 counts calls of the last minute restored from the ledger after a restart", () => {
    const limits = new CallLimits(() => 0);
    for (let call = 0; call < 10; call++) limits.restore(live, now - 30_000);
    expect(refused(limits, now)?.body.retry_after).toBe(30);
    expect(refused(limits, now + 30_000)).toBeNull();
  });

  it("counts organizations separately", () => {
    const limits = new CallLimits(() => 0);
    fill(limits, 10, now);
    expect(() => limits.check({ ...live, orgId: "p", limits: tiers.starter }, now)).not.toThrow();
  });
});
