import { describe, expect, it } from "bun:test";
import { TollgateError } from "@tollgate/core/errors";
import { tiers } from "@tollgate/core/limits/tiers";
import { Agents } from "./agents.ts";

const starter = { orgId: "o", mode: "live", tier: "starter", limits: tiers.starter } as const;
const url = "http://web/settings/plan";

/** The ledger's answer. */
function known(...keys: string[]) {
  return {
    agentsOf: (orgId: string, mode: string, atMost: number) =>
      orgId === "o" && mode === "live" ? keys.slice(0, atMost) : [],
    hasAgent: (_orgId: string, _mode: string, key: string) => keys.includes(key),
  };
}

function refusal(work: () => unknown): TollgateError {
  try {
    work();
  } catch (fault) {
    if (fault instanceof TollgateError) return fault;
    throw fault;
  }
  throw new Error("was not refused");
}

describe("agents", () => {
  it("LIM-009 refuses a fourth agent on starter, and still admits known ones", () => {
    const agents = new Agents(known("a", "b", "c"), url, () => 0);
    expect(agents.isNew(starter, "a")).toBe(false);
    expect(refusal(() => agents.isNew(starter, "d")).status).toBe(402);
  });

  it("LIM-010 names the current tier, the lowest one that suffices, and where to upgrade", () => {
    const ten = Array.from({ length: 10 }, (_, index) => `agent-${index}`);
    for (const [keys, tier, required] of [
      [["a", "b", "c"], "starter", "lite"],
      [ten, "lite", "pro"],
    ] as const) {
      const agents = new Agents(known(...keys), url, () => 0);
      const { body } = refusal(() => agents.isNew({ ...starter, tier, limits: tiers[tier] }, "new"));
      expect(body).toEqual({
        error: `the ${tier} tier includes ${tiers[tier].agents} agents, and all are in use`,
        required_tier: required,
        current_tier: tier,
        upgrade_url: url,
      });
    }
  });

  it("counts an agent from its admission, before it is on disk", () => {
    const agents = new Agents(known("a", "b"), url, () => 0);
    expect(agents.isNew(starter, "c")).toBe(true);
    agents.remember(starter, "c");
    expect(agents.isNew(starter, "c")).toBe(false);
    expect(refusal(() => agents.isNew(starter, "d")).code).toBe("tier_limit");
  });

  it("releases the slot if the agent could not be written", () => {
    const agents = new Agents(known("a", "b"), url, () => 0);
    agents.remember(starter, "c");
    agents.forget(starter, "c");
    expect(agents.isNew(starter, "d")).toBe(true);
  });

  it("keeps test and live agents, and organizations, apart", () => {
    const agents = new Agents(known("a", "b", "c"), url, () => 0);
    expect(agents.isNew({ ...starter, mode: "test" }, "d")).toBe(true);
    expect(agents.isNew({ ...starter, orgId: "p" }, "d")).toBe(true);
  });

  it("keeps admitting existing agents beyond the limit of a downgraded tier", () => {
    const agents = new Agents(known("a", "b", "c", "d", "e"), url, () => 0);
    expect(agents.isNew(starter, "e")).toBe(false);
    expect(refusal(() => agents.isNew(starter, "f")).body.required_tier).toBe("lite");
  });

  it("recognizes every agent of an organization without a limit, without caching all of them", () => {
    const many = Array.from({ length: 5000 }, (_, index) => `agent-${index}`);
    const agents = new Agents(known(...many), url, () => 0);
    const pro = { ...starter, tier: "pro", limits: tiers.pro } as const;
    expect(agents.isNew(pro, "agent-4999")).toBe(false);
    expect(agents.isNew(pro, "another")).toBe(true);
  });

  it("LIM-017 archived agents do not count", () => {
    const withArchived = (count: number) => new Agents(known("a", "b", "c"), url, () => count);
    expect(withArchived(1).isNew(starter, "d")).toBe(true);
    expect(refusal(() => withArchived(0).isNew(starter, "d")).code).toBe("tier_limit");
  });
});
