import { describe, expect, it } from "bun:test";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import { LedgerCopy } from "@tollgate/storage/shared-ledger/ledger-copy";
import { costOf } from "../support/labs/budget-lab.ts";
import { controlDatabases } from "../support/labs/control-databases.ts";
import { openLedgers } from "../support/labs/open-ledgers.ts";
import {
  type SharedBudgetLab,
  type SharedNode,
  startSharedBudgetLab,
} from "../support/labs/shared-budget-lab.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import type { Wish } from "../support/servers/serve-wishes.ts";
import { eventually } from "../support/waiting/eventually.ts";

const databases = controlDatabases();
const openLedger = openLedgers();
const inFolder = temporaryFolder();
let made = 0;
const NOON = Date.parse("2026-11-15T12:00:00.000Z");
const wish: Wish = { tokens: 5 };
const cheap: Wish = { tokens: 1 };
const COST = costOf(wish.tokens);
const LIMIT = 60 * COST;
const LEARNED = 25;

async function inLab(run: (lab: SharedBudgetLab) => Promise<void>): Promise<void> {
  const database = await databases.open("postgres");
  const prefix = `lab-${++made}-`;
  const lab = await startSharedBudgetLab(database, name => inFolder(prefix + name), NOON);
  try {
    await run(lab);
  } finally {
    await lab.stop();
  }
}

const spentBy = (...nodes: readonly SharedNode[]) =>
  nodes.flatMap(node => node.events()).reduce((sum, { cost_microcents }) => sum + cost_microcents, 0);

async function spend(node: SharedNode, calls: number): Promise<void> {
  for (let call = 0; call < calls; call++) expect(await node.call(wish)).toBe(200);
}

/** Until several calls in a row were refused, each by an answer of the bank and not because it was asked a moment ago. */
async function useUp(node: SharedNode, each: Wish = wish): Promise<void> {
  for (let refused = 0; refused < 3; ) {
    refused = (await node.call(each)) === 200 ? 0 : refused + 1;
    if (refused > 0) node.clock.uptimeAheadMs += 1000;
  }
}

describe.each([true, false])("a budget that becomes blocking, strict %p", isStrict => {
  const strict = { enforcement_mode: "hard_block", strict: isStrict ? 1 : 0 };
  const tolerated = isStrict ? 1 : COST;

  it("is not exceeded by a gateway that hears of it before others have said what they have spent", async () => {
    await inLab(async lab => {
      const id = await lab.addBudget({ limit: LIMIT, enforcement: "alert_only" });
      const [late, early] = [await lab.startNode("late"), await lab.startNode("early")];
      await spend(late, 45);
      await spend(early, 2);
      await lab.changeBudget(id, strict);
      await early.hear();
      await useUp(early);
      // What it can have is known only when the other one has heard, too.
      expect(spentBy(early)).toBe(2 * COST);
      await late.hear();
      await eventually("the early one is granted what is left", async () => {
        await early.call(wish);
        return spentBy(early) > 2 * COST;
      });
      await useUp(early);
      await useUp(late);
      console.log(`strict ${isStrict}, limit ${LIMIT}: spent ${spentBy(late)} and ${spentBy(early)}`);
      expect(spentBy(late, early) - LIMIT).toBeLessThan(tolerated);
    });
  }, 600_000);

  it("counts calls in flight at other gateways", async () => {
    await inLab(async lab => {
      const id = await lab.addBudget({ limit: LIMIT, enforcement: "alert_only" });
      const [busy, other] = [await lab.startNode("busy"), await lab.startNode("other")];
      await spend(busy, 10);
      await spend(other, 1);
      const held = lab.close();
      const inFlight = Array.from({ length: 45 }, () => busy.call(wish));
      await eventually("the calls are at the provider", () => lab.sentCount() === 56);
      await lab.changeBudget(id, strict);
      await busy.hear();
      await other.hear();
      const calls = useUp(other);
      held.open();
      await calls;
      expect(new Set(await Promise.all(inFlight))).toEqual(new Set([200]));
      await useUp(other);
      await useUp(busy);
      console.log(`strict ${isStrict}, limit ${LIMIT}: spent ${spentBy(busy)} and ${spentBy(other)}`);
      expect(spentBy(busy, other) - LIMIT).toBeLessThan(tolerated);
    });
  }, 600_000);

  it.each(["before", "after"])(
    "is not exceeded by what calls in flight had reserved and did not use, %s others have reported",
    async order => {
      await inLab(async lab => {
        const id = await lab.addBudget({ limit: LIMIT, enforcement: "alert_only" });
        const [busy, other] = [await lab.startNode("busy"), await lab.startNode("other")];
        await spend(busy, 10);
        await spend(other, 20);
        const held = lab.close();
        // A third of what their reservations expect.
        const inFlight = Array.from({ length: 50 }, () => busy.call(cheap));
        await eventually("the calls are at the provider", () => lab.sentCount() === 80);
        await lab.changeBudget(id, strict);
        const report = async (node: SharedNode) => {
          await node.hear();
          expect(await node.call(cheap)).toBe(429);
          await eventually(`${node.id} has reported`, () => lab.hasReported(id, node.id));
        };
        for (const node of order === "before" ? [busy] : [other, busy]) await report(node);
        held.open();
        await Promise.all(inFlight);
        await useUp(busy, cheap);
        await other.hear();
        await useUp(other, cheap);
        await useUp(busy, cheap);
        console.log(`strict ${isStrict}, limit ${LIMIT}: spent ${spentBy(busy)} and ${spentBy(other)}`);
        expect(spentBy(busy, other) - LIMIT).toBeLessThan(tolerated);
        expect(spentBy(busy, other)).toBeGreaterThan(LIMIT - 8 * COST);
      });
    },
    600_000,
  );

  it("counts what a dead gateway has shipped, and what it had not shipped when it is back", async () => {
    await inLab(async lab => {
      const id = await lab.addBudget({ limit: LIMIT, enforcement: "alert_only" });
      const [dead, alive] = [await lab.startNode("dead"), await lab.startNode("alive")];
      await spend(dead, 40);
      await dead.ship();
      await spend(dead, 3);
      const ofDead = spentBy(dead);
      await spend(alive, 1);
      await dead.die();
      await lab.changeBudget(id, strict);
      await alive.hear();
      await eventually("the live one is granted a part", async () => {
        // A control plane does it every second.
        await lab.accountForSilent();
        await alive.call(wish);
        return spentBy(alive) > COST;
      });
      await useUp(alive);
      const shipped = 40 * COST;
      expect(shipped + spentBy(alive) - LIMIT).toBeLessThan(tolerated);
      expect(shipped + spentBy(alive)).toBeGreaterThan(LIMIT - 8 * COST);

      // Nothing of it is lost: neither for the other gateways nor for control planes.
      const back = await lab.startNode("dead");
      await useUp(back);
      expect(spentBy(back)).toBe(ofDead);
      await useUp(alive);
      for (const node of [back, alive]) await node.ship();
      const { ledger, reader } = openLedger();
      await (await LedgerCopy.open(lab.database, ledger, LEDGER_START)).refresh();
      const events = reader.between(0, Number.MAX_SAFE_INTEGER);
      expect(events.reduce((sum, { event }) => sum + event.cost_microcents, 0)).toBe(ofDead + spentBy(alive));
      console.log(
        `strict ${isStrict}, limit ${LIMIT}: ${ofDead} of the dead one, ${shipped} shipped; then ${spentBy(alive)}`,
      );
    });
  }, 600_000);
});

describe("an allowance whose lease has ended while PostgreSQL is away", () => {
  it("REL-018 REL-020 is not spent, and all gateways together stay within the limit before, during and after", async () => {
    await inLab(async lab => {
      const [one, other] = [await lab.startNode("one"), await lab.startNode("other")];
      // Without a budget: they learn what a call costs, and are then granted more than one at a time.
      for (const node of [one, other]) await spend(node, LEARNED);
      // A call in the same millisecond would count.
      await lab.addBudget({ limit: LIMIT }, lab.now() + 1);
      for (const node of [one, other]) await node.hear();
      const spent = (...nodes: SharedNode[]) => spentBy(...nodes) - nodes.length * LEARNED * COST;
      await eventually("calls of one need no answer", async () => {
        one.cutOff(false);
        // Nobody is asked for a second after a fault.
        one.clock.uptimeAheadMs += 1000;
        await one.call(wish);
        one.cutOff(true);
        return (await one.call(wish)) === 200;
      });
      const held = spent(one);
      one.clock.uptimeAheadMs += 31_000;
      for (let call = 0; call < 5; call++) expect(await one.call(wish)).toBe(429);
      expect(spent(one)).toBe(held);
      await eventually("the other one has used its part", async () => {
        await other.call(wish);
        return spent(other) > LIMIT / 2;
      });
      await useUp(other);
      const spentByOther = spent(other);
      expect(held + spentByOther).toBeLessThan(LIMIT);
      one.cutOff(false);
      // It was not given to others.
      await eventually("it may use again what it holds", async () => {
        one.clock.uptimeAheadMs += 1000;
        return (await one.call(wish)) === 200;
      });
      for (const node of [one, other]) await useUp(node);
      console.log(
        `limit ${LIMIT}: ${held} and ${spentByOther} while one is cut off, ${spent(one)} and ${spent(other)} in the end`,
      );
      expect(spent(one, other) - LIMIT).toBeLessThan(COST);
    });
  }, 600_000);
});
