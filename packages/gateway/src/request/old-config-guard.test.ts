import { describe, expect, it } from "bun:test";
import type { SidecarStatus } from "@tollgate/storage/shared-ledger/sidecar-status";
import { OldConfigGuard } from "./old-config-guard.ts";

const START_MS = 1_000_000;
const MAX_AGE_MS = 60_000;

function guardOf(refusesOldConfig: boolean, confirmed: { atMs: number | null }) {
  let reads = 0;
  const sidecarStatus = (): SidecarStatus | null => {
    reads++;
    if (confirmed.atMs === null) return null;
    return {
      databaseAtMs: confirmed.atMs,
      configurationAtMs: confirmed.atMs,
      shippedSeq: 0,
      completeAtMs: 0,
    };
  };
  const guard = new OldConfigGuard({
    id: "node-1",
    maxConfigAgeMs: MAX_AGE_MS,
    refusesOldConfig,
    sidecarStatus,
  });
  return { guard, reads: () => reads };
}

describe("a gateway that is to refuse calls on an old configuration", () => {
  it("refuses them with 503 until PostgreSQL has confirmed it again", () => {
    const confirmed = { atMs: START_MS };
    const { guard } = guardOf(true, confirmed);
    guard.check(START_MS + MAX_AGE_MS);
    const refused = () => guard.check(START_MS + MAX_AGE_MS + 1000);
    expect(refused).toThrow(expect.objectContaining({ code: "configuration_too_old", status: 503 }));
    confirmed.atMs = START_MS + MAX_AGE_MS + 1500;
    guard.check(START_MS + MAX_AGE_MS + 2000);
  });

  it("reads the status once a second, also if the clock is set back", () => {
    const { guard, reads } = guardOf(true, { atMs: START_MS });
    for (let ms = 0; ms < 2000; ms++) guard.check(START_MS + ms);
    expect(reads()).toBe(2);
    guard.check(START_MS - 5000);
    expect(reads()).toBe(3);
  });

  it("refuses nothing itself before the first configuration, nor if it is not configured to", () => {
    guardOf(true, { atMs: null }).guard.check(START_MS);
    const { guard, reads } = guardOf(false, { atMs: 0 });
    guard.check(START_MS);
    expect(reads()).toBe(0);
  });
});
