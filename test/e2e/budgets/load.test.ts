import { afterEach, describe, expect, it } from "bun:test";
import { openRawCall } from "../../support/clients/raw-call.ts";
import { type BudgetLab, costOf, startBudgetLab } from "../../support/labs/budget-lab.ts";
import type { Wish } from "../../support/servers/serve-wishes.ts";

/** The two possible errors of a budget: admitting too much, and refusing what would have fitted. */
let lab: BudgetLab;
afterEach(() => lab.stop());

const variants = [
  { stream: false, several: false },
  { stream: true, several: false },
  { stream: false, several: true },
  { stream: true, several: true },
];

const nameOf = ({ stream, several }: (typeof variants)[number]) =>
  `${stream ? "streamed" : "whole"}, ${several ? "several budgets" : "one budget"}`;

/** Of several budgets, one is as tight as the single one, for the agent or for the organization. */
async function addBudgets(limit: number, several: boolean, strict = false): Promise<void> {
  await lab.addBudget({ limit, strict, period: "daily" });
  if (!several) return;
  await lab.addBudget({ limit: limit * 2, strict, period: "monthly" });
  await lab.addBudget({ limit, strict, agent: "default", period: "monthly" });
  await lab.addBudget({ limit: 1, enforcement: "alert_only" });
}

/** Over its own socket: Bun's `fetch` allows 256 concurrent requests, and the gateway's own would queue behind them. */
async function call(wish: Wish, body: Record<string, unknown>): Promise<{ status: number; text: string }> {
  const messages = [{ role: "user", content: JSON.stringify(wish) }];
  const raw = await openRawCall(
    lab.gateway.url,
    "/v1/chat/completions",
    lab.gateway.headers(),
    JSON.stringify({ model: "flat", messages, ...body }),
  );
  await raw.ended();
  const [, status, text] = /^HTTP\/1\.1 (\d{3}) .*?\r\n\r\n(.*)$/s.exec(raw.text) ?? [];
  return { status: Number(status), text: text ?? "" };
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe("a thousand concurrent calls, with headroom for ten", () => {
  for (const variant of variants) {
    for (const asked of [100, 400]) {
      it(`REL-001 BUD-016 overshoot by less than one call, with ${asked} tokens requested and 100 used: ${nameOf(variant)}`, async () => {
        lab = await startBudgetLab();
        const limit = 10 * costOf(100);
        await addBudgets(limit, variant.several);
        const body = { max_tokens: asked, stream: variant.stream };
        const answers = await Promise.all(
          Array.from({ length: 1000 }, () => call({ tokens: 100, waitMs: 5 }, body)),
        );
        const admitted = answers.filter(({ status }) => status === 200).length;
        expect(answers.filter(({ status }) => status === 429).length).toBe(1000 - admitted);
        const overshoot = lab.cost() - limit;
        console.log(
          `  overshoot ${((100 * overshoot) / limit).toFixed(1)} % of the limit, ${Math.max(0, 10 - admitted)} of 10 refused that would have fitted`,
        );
        expect(overshoot).toBeLessThan(costOf(100));
        expect(admitted).toBe(10);
        expect(lab.gateway.events().length).toBe(admitted);
      });
    }
  }
});

describe("two hundred callers without max_tokens, whose costs are spread a hundredfold", () => {
  for (const variant of variants) {
    it(`REL-001 BUD-016 overshoot by under 5 %, and refuse nothing before 90 % is spent: ${nameOf(variant)}`, async () => {
      lab = await startBudgetLab();
      const random = randomFrom(7);
      // 98 % are between a tenth and ten times the median.
      const spread = Math.log(10) / 2.326;
      const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      const tokens = () => Math.max(1, Math.round(100 * Math.exp(spread * normal())));
      const limit = Math.round(1000 * costOf(100 * Math.exp((spread * spread) / 2)));
      await addBudgets(limit, variant.several);
      const refusedAt: number[] = [];
      let isSpent = false;
      const caller = async () => {
        while (!isSpent) {
          const wish = { tokens: tokens(), waitMs: 5 + Math.round(random() * 10) };
          const answer = await call(wish, { stream: variant.stream });
          if (answer.status === 200) continue;
          const spent = JSON.parse(answer.text).current_spending / limit;
          refusedAt.push(spent);
          isSpent ||= spent >= 1;
        }
      };
      await Promise.all(Array.from({ length: 200 }, caller));
      const overshoot = (lab.cost() - limit) / limit;
      const early = refusedAt.filter(spent => spent < 1);
      console.log(
        `  overshoot ${(100 * overshoot).toFixed(2)} % of the limit; ${early.length} refused before it was spent, the first at ${(100 * Math.min(1, ...refusedAt)).toFixed(1)} % of it, ${lab.gateway.events().length} calls`,
      );
      expect(overshoot).toBeLessThan(0.05);
      expect(Math.min(1, ...refusedAt)).toBeGreaterThanOrEqual(0.9);
    });
  }
});

describe("strict budgets under load", () => {
  for (const variant of variants) {
    it(`REL-001 BUD-017 are never exceeded by any concurrent calls: ${nameOf(variant)}`, async () => {
      lab = await startBudgetLab();
      const limit = 20 * costOf(100);
      await addBudgets(limit, variant.several, true);
      const random = randomFrom(11);
      let obeyed = 0;
      const answers = await Promise.all(
        Array.from({ length: 400 }, async () => {
          const asked = 1 + Math.floor(random() * 300);
          const answer = await call(
            { tokens: asked, waitMs: Math.floor(random() * 20), obeys: true },
            { max_tokens: asked, stream: variant.stream },
          );
          if (answer.status === 200) obeyed++;
          return answer.status;
        }),
      );
      expect(answers.filter(status => status !== 200 && status !== 429)).toEqual([]);
      const unspent = limit - lab.cost();
      console.log(
        `  overshoot ${Math.max(0, -unspent)} microcents, ${obeyed} calls, ${((100 * unspent) / limit).toFixed(1)} % of the limit left over`,
      );
      expect(unspent).toBeGreaterThanOrEqual(0);
    });
  }
});
