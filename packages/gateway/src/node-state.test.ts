import { describe, expect, it } from "bun:test";
import type { SidecarStatus } from "@tollgate/storage/shared-ledger/sidecar-status";
import { nodeState } from "./node-state.ts";

const nowMs = 1_000_000;
const current: SidecarStatus = {
  databaseAtMs: nowMs - 500,
  configurationAtMs: nowMs - 250,
  shippedSeq: 7,
  completeAtMs: nowMs - 1500,
};

function stateWith(status: SidecarStatus | null, newestSeq = 7) {
  const node = { id: "node-1", maxConfigAgeMs: 60_000, refusesOldConfig: false, sidecarStatus: () => status };
  return nodeState(node, newestSeq, nowMs);
}

describe("the state of a node", () => {
  it("has no lag once everything is shipped, however long ago that was", () => {
    expect(stateWith(current)).toEqual({
      isStarting: false,
      isDatabaseUp: true,
      configAgeSeconds: 0.25,
      unshippedEvents: 0,
      shippingLagSeconds: 0,
      isDegraded: false,
    });
  });

  it("shows a dead sidecar, or PostgreSQL away, by a status that ages", () => {
    const old = { ...current, databaseAtMs: nowMs - 90_000, configurationAtMs: nowMs - 90_000 };
    expect(stateWith({ ...old, completeAtMs: nowMs - 91_000 }, 10)).toEqual({
      isStarting: false,
      isDatabaseUp: false,
      configAgeSeconds: 90,
      unshippedEvents: 3,
      shippingLagSeconds: 91,
      isDegraded: true,
    });
  });

  it("is degraded while its ledger ends before what was shipped, and the unshipped events are unknown", () => {
    expect(stateWith(current, 6)).toMatchObject({
      isDegraded: true,
      unshippedEvents: null,
      shippingLagSeconds: 1.5,
    });
  });

  it("is unknown, not zero, before the sidecar has reached PostgreSQL", () => {
    expect(stateWith(null)).toMatchObject({ isStarting: true, isDatabaseUp: false, unshippedEvents: null });
  });
});
