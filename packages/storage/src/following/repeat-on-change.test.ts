import { expect, it } from "bun:test";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { Pulse } from "../engine/pulse.ts";
import { repeatOnChange } from "./repeat-on-change.ts";
import { Pause } from "./repeat-until.ts";

/** Records what each run is told, until it has run as often as there are results. */
async function told(pulse: Pulse | null, results: readonly (() => unknown)[]): Promise<boolean[]> {
  const stop = new AbortController();
  const changes: boolean[] = [];
  const work = async (isChanged: boolean) => {
    changes.push(isChanged);
    const result = results[changes.length - 1];
    if (result === undefined) stop.abort();
    else return result();
  };
  await repeatOnChange({ pulse }, stop.signal, 1, work, () => {});
  return changes;
}

/** Of a database that does not change by itself. */
async function quietPulse(): Promise<Pulse> {
  const pulse = new Pulse({ readVersion: () => 1, logPath: "no log", lookEveryMs: 1 });
  // The first look finds a change.
  await pulse.next(pulse.beats, 60_000, new AbortController().signal);
  return pulse;
}

const done = () => undefined;

it("repeats without a change, because work may depend on the time, and says so", async () => {
  expect(await told(await quietPulse(), [done, done])).toEqual([true, false, false]);
});

it("says when the database has changed", async () => {
  const pulse = await quietPulse();
  const change = () => pulse.beat();
  expect(await told(pulse, [change, done])).toEqual([true, true, false]);
});

it("takes the database for changed after a fault, and after work that was not completed", async () => {
  const fault = () => {
    throw new Error("away");
  };
  const retry = () => new Pause(1);
  expect(await told(await quietPulse(), [fault, retry, done])).toEqual([true, true, true, false]);
});

it("takes a database for changed if nothing tells what others change", async () => {
  expect(await told(null, [done, done])).toEqual([true, true, true]);
});

it("works again as soon as the database changes", async () => {
  const pulse = await quietPulse();
  const stop = new AbortController();
  let runs = 0;
  const repeating = repeatOnChange(
    { pulse },
    stop.signal,
    0,
    async () => void runs++,
    () => {},
  );
  for (let changes = 0; changes < 3; changes++) {
    const before = runs;
    pulse.beat();
    await eventually("work after a change", () => runs > before);
  }
  stop.abort();
  await repeating;
});
