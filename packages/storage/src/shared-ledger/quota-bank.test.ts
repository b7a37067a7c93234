import { expect, it } from "bun:test";
import { shareCalls } from "./quota-bank.ts";

it("REL-011 holds the room of calls that are about to be made, but grants nothing of it that other nodes have used", () => {
  const request = {
    orgId: "org",
    month: "2026-11",
    limit: 100,
    isFirst: false,
    wantedCalls: 1,
    givesBack: false,
  };
  const other = { node_id: "b", granted_calls: 80, used_calls: 80, made_calls: 80, lost_calls: 0 };
  // This node counted alone while PostgreSQL was away.
  const { own, grant } = shareCalls({ ...request, madeCalls: 15, usedCalls: 30 }, [other], "a");
  expect([own.granted_calls, grant]).toEqual([30, { grantedCalls: 20, usedCalls: 110 }]);
});
