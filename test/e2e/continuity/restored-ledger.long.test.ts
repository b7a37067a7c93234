import { describe, expect, it } from "bun:test";
import { systemEngines } from "../../support/full-size.ts";
import { type ContinuityLab, continuityLabs } from "../../support/labs/continuity-lab.ts";
import { sampleSettlement } from "../../support/rows/sample-event.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const startLab = continuityLabs();

async function get<Answer>(lab: ContinuityLab, path: string): Promise<Answer> {
  const answer = await fetch(lab.url() + path, { headers: { authorization: `Bearer ${lab.key}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

/** The web API's numbers match the ledger for every agent; `svc ledger verify` finds nothing. */
async function expectLedgersNumbers(lab: ContinuityLab, agentKeys: readonly string[]): Promise<void> {
  await lab.caughtUp();
  const { found, events } = await lab.compare();
  expect(found).toEqual([]);
  for (const key of agentKeys) {
    const listed = await get<{ events: { id: string }[] }>(lab, `/api/events?agent_key=${key}&limit=100`);
    const own = events.filter(({ agent_key }) => agent_key === key).map(({ id }) => id);
    expect(listed.events.map(({ id }) => id).toSorted()).toEqual(own.toSorted());
  }
  const { summary } = await get<{ summary: { total_calls: number; total_cost_microcents: number } }>(
    lab,
    "/api/analytics",
  );
  expect(summary.total_calls).toBe(events.length);
  expect(summary.total_cost_microcents).toBe(events.reduce((sum, event) => sum + event.cost_microcents, 0));
}

type Loss = (lab: ContinuityLab) => Promise<readonly string[]>;

/** What may happen to a ledger; each resolves with the agents whose calls must be visible. */
const losses: Readonly<Record<string, Loss>> = {
  "a backup of the ledger, older than what was read": async lab => {
    await lab.call("one", 20);
    const copy = lab.backUp();
    await lab.call("two", 10);
    await lab.caughtUp();
    return await lab.whileReadersMayBeAway(async () => {
      await lab.restore(copy);
      await lab.call("three", 15);
      return ["one", "two", "three"];
    });
  },
  "a flipped byte in the write-ahead log": async lab => {
    await lab.call("one", 60);
    await lab.caughtUp();
    return await lab.whileReadersMayBeAway(async () => {
      lab.crashWithFlippedByte();
      const kept = lab.newestSeq();
      expect(kept).toBeGreaterThan(5);
      expect(kept).toBeLessThan(55);
      await lab.call("two", 3);
      return ["one", "two"];
    });
  },
  "a backup that has grown beyond the last position before any reader checked": async lab => {
    await lab.call("one", 20);
    const copy = lab.backUp();
    await lab.call("two", 10);
    await lab.caughtUp();
    return await lab.whileReadersMayBeAway(async () => {
      await lab.restore(copy, async grown => {
        const settlements = Array.from({ length: 25 }, () =>
          sampleSettlement(crypto.randomUUID(), {
            org_id: lab.orgId,
            created_at: Date.now(),
            agent_key: "one",
          }),
        );
        await grown.append(settlements, []);
      });
      await lab.call("three", 2);
      return ["one", "two", "three"];
    });
  },
  "an empty ledger": async lab => {
    const empty = lab.backUp();
    await lab.call("one", 10);
    await lab.caughtUp();
    return await lab.whileReadersMayBeAway(async () => {
      await lab.restore(empty);
      await lab.call("one", 2);
      return ["one"];
    });
  },
};

describe.each(systemEngines)("a ledger that has lost events already read, on %s", engine => {
  describe.each(["at the start", "while running"] as const)("%s", moment => {
    it.each(Object.keys(losses))(
      "REL-014 is detected and reported, and all derived data is rebuilt from it: %s",
      async name => {
        const lab = await startLab(engine);
        await lab.start();
        lab.readersAreAway = moment === "at the start";
        const agents = await losses[name]?.(lab);
        await eventually(
          "it is reported in a metric",
          async () => (await lab.metric("svc_control_ledger_rebuilds")) === 1,
        );
        await expectLedgersNumbers(lab, agents ?? []);
        expect(lab.divergences()).toHaveLength(1);
        expect(await lab.metric("svc_control_ledger_diverged")).toBe(0);
        expect(lab.faults()).toEqual([]);
        // It continues from there.
        await lab.call("one", 5);
        await expectLedgersNumbers(lab, agents ?? []);
        expect(lab.divergences()).toHaveLength(1);
      },
      600_000,
    );
  });
});
