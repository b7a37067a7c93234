import { describe, expect, it } from "bun:test";
import { statSync } from "node:fs";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleIntent } from "../../../../test/support/rows/sample-event.ts";
import { IntentJournal, intentsIn, isDamaged, readIntents, readSlots } from "./intent-journal.ts";

const path = temporaryFolder();
let files = 0;

function openJournal() {
  const ledgerPath = path(`ledger-${files++}.db`);
  return {
    ledgerPath,
    journal: new IntentJournal(ledgerPath),
    ids: () => readIntents(ledgerPath).map(({ id }) => id),
  };
}

const idOf = (n: number) => String(n).padStart(8, "0");

describe("IntentJournal", () => {
  it("REL-003 makes an intent readable by other processes from the return of append until it is settled", () => {
    const { ledgerPath, journal } = openJournal();
    journal.append(sampleIntent("a"));
    journal.append(sampleIntent("b"));
    expect(readIntents(ledgerPath)).toEqual([sampleIntent("a"), sampleIntent("b")]);
    journal.settled("a");
    expect(readIntents(ledgerPath)).toEqual([sampleIntent("b")]);
  });

  it("REL-003 keeps the intents of a process that was killed with -9", async () => {
    const { ledgerPath } = openJournal();
    const child = Bun.spawn([
      process.execPath,
      "-e",
      `const { IntentJournal } = await import(${JSON.stringify(`${import.meta.dir}/intent-journal.ts`)});
       new IntentJournal(${JSON.stringify(ledgerPath)}).append(${JSON.stringify(sampleIntent("killed"))});
       process.kill(process.pid, "SIGKILL");`,
    ]);
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(readIntents(ledgerPath)).toEqual([sampleIntent("killed")]);
  });

  it("REL-003 GW-017 keeps an intent with ids of maximum length, and frees all of its slots", () => {
    const { ledgerPath, journal, ids } = openJournal();
    const size = () => statSync(`${ledgerPath}-intents`).size;
    const before = size();
    const longest = (letter: string) => letter.repeat(256);
    const long = (id: string) =>
      sampleIntent(id, {
        agent_key: longest("🐙"),
        session_id: longest("🦑"),
        customer_id: longest("🐚"),
        config_version: longest("🪸"),
        model: longest('"'),
        requested_model: longest("\\"),
      });
    for (let n = 0; n < 40; n++) journal.append(n % 2 === 0 ? long(idOf(n)) : sampleIntent(idOf(n)));
    expect(readIntents(ledgerPath)).toEqual(
      Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? long(idOf(n)) : sampleIntent(idOf(n)))),
    );
    for (let round = 0; round < 500; round++) {
      journal.settled(idOf(round));
      journal.append(long(idOf(round + 40)));
    }
    expect(ids()).toEqual(Array.from({ length: 40 }, (_, n) => idOf(n + 500)));
    expect(size()).toBe(before);
    const budgets = Array.from({ length: 500 }, (_, n) => ({ id: `${n}`.padStart(36, "0"), since: n }));
    const bounded = sampleIntent("x", { strict_budgets: budgets });
    journal.append(bounded);
    expect(readIntents(ledgerPath).at(-1)).toEqual(bounded);
    journal.settled("x");
    expect(ids()).not.toContain("x");
  });

  it("has the size that the calls in flight need, however many have passed", () => {
    const { ledgerPath, journal, ids } = openJournal();
    const before = statSync(`${ledgerPath}-intents`).size;
    journal.append(sampleIntent("00000000-open"));
    for (let n = 1; n <= 20_000; n++) {
      journal.append(sampleIntent(idOf(n)));
      if (n > 50) journal.settled(idOf(n - 50));
    }
    expect(statSync(`${ledgerPath}-intents`).size).toBe(before);
    expect(ids()).toEqual(["00000000-open", ...Array.from({ length: 50 }, (_, i) => idOf(19_951 + i))]);
  });

  it("grows with the calls in flight and loses none of them", () => {
    const { journal, ids } = openJournal();
    const all = Array.from({ length: 1000 }, (_, n) => idOf(n));
    for (const id of all) journal.append(sampleIntent(id));
    expect(ids()).toEqual(all);
    for (const id of all.slice(0, 999)) journal.settled(id);
    expect(ids()).toEqual([idOf(999)]);
  });

  it("reopens with its open intents, and does not reuse their slots", () => {
    const { ledgerPath, journal, ids } = openJournal();
    journal.append(sampleIntent("a"));
    journal.close();
    const again = new IntentJournal(ledgerPath);
    again.append(sampleIntent("b"));
    expect(ids()).toEqual(["a", "b"]);
    again.clear();
    expect(ids()).toEqual([]);
    again.append(sampleIntent("c"));
    expect(ids()).toEqual(["c"]);
  });

  it("finds a file damaged that was cut off, or has what it never writes, and none that it wrote", () => {
    const { ledgerPath, journal } = openJournal();
    const whole = () => Buffer.from(readSlots(ledgerPath));
    expect(isDamaged(whole())).toBe(false);
    journal.append(sampleIntent("a"));
    journal.append(sampleIntent("x".repeat(9000)));
    expect(isDamaged(whole())).toBe(false);
    const written = (at: number, bytes: readonly number[]) => {
      const slots = Buffer.concat([whole(), Buffer.alloc(3)]);
      slots.set(bytes, at);
      return slots;
    };
    const length = whole().length;
    // The last one is continued in a slot that the file does not have to its end.
    for (const slots of [
      whole().subarray(0, length / 2),
      Buffer.alloc(length, "A"),
      written(0, [4]),
      written(1, [0]),
      written(0, [2, 128, 0, 0, 0]),
    ]) {
      expect(isDamaged(slots)).toBe(true);
      expect(intentsIn(slots).every(({ id }) => id === "a" || id.startsWith("x"))).toBe(true);
    }
  });

  it("holds the longest ids and model names that the gateway accepts", () => {
    const { ledgerPath, journal } = openJournal();
    const longest = sampleIntent("a", {
      agent_key: "a".repeat(256),
      session_id: "s".repeat(256),
      customer_id: "c".repeat(256),
      config_version: "v".repeat(256),
      model: "\\".repeat(256),
      requested_model: "\\".repeat(256),
      prefix_hash: "f".repeat(32),
    });
    journal.append(longest);
    expect(readIntents(ledgerPath)).toEqual([longest]);
  });
});
