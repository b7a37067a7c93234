import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { type DashboardLab, soon, startDashboardLab } from "../support/labs/dashboard-lab.ts";
import { eventually } from "../support/waiting/eventually.ts";

/** Between two calls: a hundred per second, whether or not earlier ones have ended. */
const PACE_MS = 10;
const MIN_CALLS = 500;
/** How often the figures must have changed while calls are made: those of today, and those of the range. */
const MIN_STATES = 5;
const MIN_RANGE_STATES = 2;
const models = ["gpt-4o", "gpt-4o-mini", "gpt-4.1"];

let lab: DashboardLab;
let ledger: LedgerReader;

beforeAll(async () => {
  lab = await startDashboardLab();
  ledger = new LedgerReader(lab.ledgerPath);
}, 600_000);
afterAll(async () => {
  ledger.close();
  await lab.stop();
});

interface Sums {
  readonly calls: number;
  readonly microcents: number;
}

interface Screen {
  readonly today: Sums | null;
  readonly month: Sums | null;
  readonly range: Sums | null;
  readonly rows: readonly { readonly id: string; readonly microcents: number }[];
}

/** Everything at one moment: the page draws nothing in between. */
const readScreen = () =>
  lab.page.evaluate<Screen>(`(() => {
    const number = text => Number(text.replace(/[^0-9]/g, ""));
    const microcents = box => Number(box.querySelector("[data-microcents]").dataset.microcents);
    const sums = (cost, calls) => {
      const [costs, counted] = [cost, calls].map(name => document.querySelector("[data-stat=" + name + "]"));
      return costs?.querySelector("[data-microcents]") && /[0-9]/.test(counted?.textContent ?? "")
        ? { calls: number(counted.textContent), microcents: microcents(costs) }
        : null;
    };
    return {
      today: sums("today", "today-calls"),
      month: sums("month", "month-calls"),
      range: sums("spend", "calls"),
      rows: [...document.querySelectorAll("tr[data-row]")].map(row => ({ id: row.dataset.row, microcents: microcents(row) })),
    };
  })()`);

const stateOf = ({ calls, microcents }: Sums) => `${calls} calls, ${microcents} microcents`;
const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

interface Call {
  readonly id: string;
  readonly createdAtMs: number;
  readonly microcents: number;
}

/** In the ledger's order. */
const ledgerCalls = (): Call[] =>
  ledger
    .between(0, ledger.newestSeq())
    .filter(({ event }) => event.mode === "test")
    .map(({ event }) => ({
      id: event.id,
      createdAtMs: event.created_at,
      microcents: event.cost_microcents,
    }));

const sumOf = (calls: readonly Call[]): Sums => ({
  calls: calls.length,
  microcents: calls.reduce((sum, { microcents }) => sum + microcents, 0),
});

/** What may be shown of a UTC day or month: the ledger up to one of its events. */
function statesByPrefix(calls: readonly Call[]): Set<string> {
  const states = new Set([stateOf({ calls: 0, microcents: 0 })]);
  for (const unit of [10, 7]) {
    const periods = Map.groupBy(calls, ({ createdAtMs }) => dayOf(createdAtMs).slice(0, unit));
    for (const ofPeriod of periods.values()) {
      for (const index of ofPeriod.keys()) states.add(stateOf(sumOf(ofPeriod.slice(0, index + 1))));
    }
  }
  return states;
}

/** A range ends at a moment: of the ledger up to some event, it has the calls that were admitted before that moment. */
function isStateOfRange(range: Sums, calls: readonly Call[]): boolean {
  for (let known = range.calls; known <= calls.length; known++) {
    const byStart = calls.slice(0, known).toSorted((a, b) => a.createdAtMs - b.createdAtMs);
    if (sumOf(byStart.slice(0, range.calls)).microcents === range.microcents) return true;
  }
  return false;
}

/** Calls of many different costs until `isEnough`; resolves once all have been answered. */
async function callUntil(isEnough: (sent: number) => boolean): Promise<number> {
  const calls: Promise<void>[] = [];
  while (!isEnough(calls.length)) {
    const index = calls.length;
    calls.push(
      lab.send({
        agent: `agent-${index % 7}`,
        model: models[index % models.length] ?? "gpt-4o",
        content: "word ".repeat(1 + ((index * 37) % 199)),
      }),
    );
    await Bun.sleep(PACE_MS);
  }
  await Promise.all(calls);
  return calls.length;
}

describe("figures under live traffic", () => {
  it("DASH-005 DASH-002 at a hundred calls per second every sum on the screen is one of the ledger's, to the microcent", async () => {
    const { page } = lab;
    await lab.open("/");
    await page.locator(".connection[data-state=live]").waitFor(soon);
    const screens: Screen[] = [];
    const seen = new Set<string>();
    const ranges = new Map<string, Sums>();
    const hasRows = () => screens.some(({ rows }) => rows.length > 0);
    const hasChanged = () => seen.size >= MIN_STATES && ranges.size >= MIN_RANGE_STATES && hasRows();
    let isOver = false;
    const traffic = callUntil(sent => isOver || (sent >= MIN_CALLS && hasChanged())).finally(() => {
      isOver = true;
    });
    try {
      while (!isOver) {
        const screen = await readScreen();
        screens.push(screen);
        if (screen.today !== null) seen.add(stateOf(screen.today));
        if (screen.range !== null) ranges.set(stateOf(screen.range), screen.range);
      }
    } finally {
      isOver = true;
    }
    const sent = await traffic;

    const calls = ledgerCalls();
    expect(calls.length).toBe(sent);
    const states = statesByPrefix(calls);
    const periods = screens.flatMap(({ today, month }) => [today, month]).filter(sums => sums !== null);
    expect(periods.map(stateOf).filter(state => !states.has(state))).toEqual([]);
    expect([...ranges.values()].filter(range => !isStateOfRange(range, calls))).toEqual([]);
    const costs = new Map(calls.map(({ id, microcents }) => [id, microcents]));
    const rows = screens.flatMap(screen => screen.rows);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ id, microcents }) => costs.get(id) !== microcents)).toEqual([]);
  }, 600_000);

  it("DASH-005 shows the ledger's sums once traffic has ended", async () => {
    await eventually("every sum is the ledger's", async () => {
      const { today, range, rows } = await readScreen();
      const calls = ledgerCalls();
      const ofToday = calls.filter(({ createdAtMs }) => dayOf(createdAtMs) === dayOf(Date.now()));
      const newest = calls.slice(-rows.length).map(({ id }) => id);
      return (
        today !== null &&
        range !== null &&
        stateOf(today) === stateOf(sumOf(ofToday)) &&
        stateOf(range) === stateOf(sumOf(calls)) &&
        rows.every(({ id }) => newest.includes(id))
      );
    });
    expect(lab.complaints).toEqual([]);
  }, 600_000);
});
