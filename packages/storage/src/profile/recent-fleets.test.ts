import { describe, expect, it } from "bun:test";
import type { AgentModelProfile } from "./profile-queries.ts";
import { RecentFleets } from "./recent-fleets.ts";

const fleetOf = (size: number) => new Array<AgentModelProfile>(size).fill({} as AgentModelProfile);

describe("the cache of fleet sums", () => {
  it("caches a large fleet, but not a small one", () => {
    const recent = new RecentFleets();
    recent.keep("small", fleetOf(999));
    recent.keep("large", fleetOf(1000));
    expect([recent.get("small"), recent.get("large")?.length]).toEqual([null, 1000]);
  });

  it("keeps only the newest entries", () => {
    const recent = new RecentFleets();
    for (let index = 0; index < 9; index++) recent.keep(`fleet ${index}`, fleetOf(1000));
    expect([recent.get("fleet 0"), recent.get("fleet 1")?.length]).toEqual([null, 1000]);
  });
});
