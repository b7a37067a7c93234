import { expect, it, onTestFinished } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { simulationRuns } from "../../../../../test/support/full-size.ts";
import { multiplyEvent } from "../../../../../test/support/labs/multiply-event.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { openControlDatabase } from "../../database/open-control-database.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { LedgerReader } from "../../ledger/ledger-reader.ts";
import { verifyLedger } from "../../ledger/verify-ledger.ts";
import { createReadModel } from "../control-read-model.ts";
import { followReadModel } from "./follow-read-model.ts";

const folder = temporaryFolder();
const EVENTS = simulationRuns(1_000_000);
/** Their sum is close to the largest exact integer of a double, so a single float on the way would show. */
const BASE = 9_000_000_000_000_000 / EVENTS + 1;
/** Spread over two and a half days. */
const EVERY_MS = 200;

const costOf = (index: number) => BASE + (index % 997);

it(`MON-004 totals of ${EVENTS} events are exact, overall and by model and day, and agree with ledger verify`, async () => {
  const file = folder("ledger.db");
  const ledger = new Ledger(file, "normal");
  const reader = new LedgerReader(file);
  const control = await openControlDatabase({ kind: "sqlite", path: folder("control.db") });
  onTestFinished(async () => {
    ledger.close();
    reader.close();
    await control.close();
  });
  const first = sampleSettlement("event 0", {
    cost_basis: "reported",
    cost_microcents: microcents(costOf(0)),
  });
  const agent = { id: crypto.randomUUID(), org_id: "org", mode: "live", agent_key: "default" } as const;
  await ledger.append([first], [{ ...agent, first_seen_at: SAMPLE_DAY }]);
  multiplyEvent(file, EVENTS, {
    cost_microcents: `${BASE} + n.value % 997`,
    created_at: `created_at + n.value * ${EVERY_MS}`,
  });

  let sum = 0n;
  const byDay = new Map<number, bigint>();
  for (let index = 0; index < EVENTS; index++) {
    const cost = BigInt(costOf(index));
    const at = SAMPLE_DAY + index * EVERY_MS;
    const day = at - (at % 86_400_000);
    sum += cost;
    byDay.set(day, (byDay.get(day) ?? 0n) + cost);
  }
  expect(sum < BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);

  expect(verifyLedger(reader)).toMatchObject({
    ok: true,
    events: EVENTS,
    cost_microcents: Number(sum),
    differences: [],
  });
  expect(await followReadModel(control, reader).catchUp()).toBe(EVENTS);
  const model = createReadModel(control, reader);
  const window = { from: SAMPLE_DAY - 86_400_000, to: SAMPLE_DAY + 10 * 86_400_000 };
  const usage = await model.usage({ orgId: "org", mode: "live" }, window);
  expect([usage.totals.calls, usage.totals.cost_microcents]).toEqual([EVENTS, Number(sum)]);
  expect(usage.byModel.map(({ cost_microcents }) => cost_microcents)).toEqual([Number(sum)]);
  const days = usage.byDay.filter(({ calls }) => calls > 0);
  expect(days.map(({ day, cost_microcents }) => [day, cost_microcents])).toEqual(
    [...byDay].map(([day, cost]) => [day, Number(cost)]),
  );
});
