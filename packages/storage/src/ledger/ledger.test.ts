import { Database } from "bun:sqlite";
import { afterEach, describe, expect, it } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleIntent, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { migrate, openForWriting } from "../engine/sqlite.ts";
import { eventColumns, pushRow } from "./event-row.ts";
import { Ledger } from "./ledger.ts";
import { LedgerReader } from "./ledger-reader.ts";
import { ledgerMigrations } from "./migrations.ts";
import { verifyLedger } from "./verify-ledger.ts";

const path = temporaryFolder();
const opened: { close(): unknown }[] = [];
let files = 0;

function open() {
  const file = path(`ledger-${files++}.db`);
  const faults: unknown[] = [];
  const ledger = new Ledger(file, "normal", fault => faults.push(fault));
  const reader = new LedgerReader(file);
  opened.push(ledger, reader);
  return { file, ledger, reader, faults, ids: () => reader.after(0, 100).map(({ event }) => event.id) };
}

/** A second connection, for changes that the code itself never makes. */
function tamper(file: string, sql: string): void {
  const database = new Database(file);
  database.run("PRAGMA busy_timeout = 5000");
  try {
    database.run(sql);
  } finally {
    database.close();
  }
}

afterEach(() => {
  for (const handle of opened.splice(0)) handle.close();
});

describe("the ledger", () => {
  it("reports why it could not be saved when its folder was deleted", () => {
    const folder = path(`deleted-${files++}`);
    mkdirSync(folder);
    const ledger = new Ledger(join(folder, "ledger.db"), "normal");
    rmSync(folder, { recursive: true });
    const { savedTo, fault } = ledger.close();
    expect(savedTo).toBeNull();
    expect(fault).toBeInstanceOf(Error);
  });

  it("turns an intent into its event atomically", async () => {
    const { ledger, reader } = open();
    await ledger.journal(sampleIntent("a"), null);
    expect(reader.openIntents()).toBe(1);
    const { event, cards } = sampleSettlement("a");
    await ledger.settle({ event, cards });
    expect(reader.openIntents()).toBe(0);
    expect(reader.after(0, 10)).toEqual([{ seq: 1, event }]);
    expect(reader.rateCard(event.price_version ?? "")).toBe(cards[0]?.card ?? "");
  });

  it("returns every column as it was written", async () => {
    const { ledger, reader } = open();
    const { event, cards } = sampleSettlement("a", {
      stream: true,
      session_id: "s",
      config_version: "v1",
      additional_usage: [{ model: "other", usage: { input: 3 }, price_version: null }],
      budget_flags: ["soft_block"],
      ttft_ms: 3,
    });
    await ledger.settle({ event, cards });
    expect(reader.newest(1)[0]?.event).toEqual(event);
  });

  for (const sql of ["UPDATE events SET cost_microcents = 0", "DELETE FROM events"]) {
    it(`is append-only, on any connection: ${sql}`, async () => {
      const { file, ledger, ids } = open();
      const { event, cards } = sampleSettlement("a");
      await ledger.settle({ event, cards });
      expect(() => tamper(file, sql)).toThrow("append-only");
      expect(ids()).toEqual(["a"]);
    });
  }

  it("ING-011 migrates events from before spans were linked, and they still verify", async () => {
    const file = path(`ledger-${files++}.db`);
    const { event, cards } = sampleSettlement("old");
    const database = openForWriting(file, "normal");
    migrate(database, ledgerMigrations.slice(0, 3));
    const columns = eventColumns.filter(
      name => !["trace_id", "span_id", "instrumentation", "pair", "key_id"].includes(name),
    );
    const values: (string | number | null)[] = [];
    pushRow(event, values);
    database
      .query(`INSERT INTO events (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
      .run(...values.slice(0, columns.length));
    for (const { version, card } of cards) {
      database.query("INSERT INTO rate_cards VALUES (?, ?)").run(version, card);
    }
    database.query("INSERT INTO monthly_calls VALUES ('org', '2026-11', 1)").run();
    database.close();
    const ledger = new Ledger(file, "normal");
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    expect(reader.after(0, 10)).toEqual([{ seq: 1, event }]);
    expect(verifyLedger(reader)).toMatchObject({ ok: true, events: 1 });
  });

  it("ING-011 links one span of an instrumentation to an event, permanently", async () => {
    const { file, ledger } = open();
    await ledger.append([sampleSettlement("a")]);
    const link = { eventId: "a", instrumentation: "openinference", spanEventId: "span-1" };
    await ledger.ingest([], [], [link]);
    await ledger.ingest([], [], [{ ...link, instrumentation: "openllmetry", spanEventId: "span-2" }]);
    expect(ledger.find.isLinked("span-1")).toBe(true);
    expect(ledger.find.callsAfter(0, 10)).toMatchObject([{ linkedBy: ["openinference", "openllmetry"] }]);
    const second = ledger.ingest([sampleSettlement("b")], [], [{ ...link, spanEventId: "span-3" }]);
    expect(second).rejects.toThrow("UNIQUE");
    await second.catch(() => {});
    expect(ledger.find.has("b")).toBe(false);
    expect(() => tamper(file, "DELETE FROM linked_spans")).toThrow("append-only");
    expect(() => tamper(file, "UPDATE linked_spans SET event_id = 'b'")).toThrow("append-only");
  });

  it("never has two events of one call", async () => {
    const { ledger, ids } = open();
    await ledger.append([sampleSettlement("a")]);
    expect(ledger.append([sampleSettlement("a")])).rejects.toThrow("UNIQUE");
    await ledger.append([sampleSettlement("b")]);
    expect(ids()).toEqual(["a", "b"]);
  });

  it("REL-003 finds the calls that were sent and never settled, oldest first, after a crash", async () => {
    const { file, ledger } = open();
    for (const id of ["1", "2", "3"]) await ledger.journal(sampleIntent(id), null);
    const { event, cards } = sampleSettlement("2");
    await ledger.settle({ event, cards });
    const next = new Ledger(file, "normal");
    opened.push(next);
    expect(next.openIntents()).toEqual([sampleIntent("1"), sampleIntent("3")]);
  });

  it("throws if an intent cannot be written, so that the call is not sent", async () => {
    const { file, ledger } = open();
    tamper(file, "ALTER TABLE agents RENAME TO gone");
    const agent = { id: "uuid", org_id: "org", mode: "live", agent_key: "a", first_seen_at: 1 } as const;
    expect(ledger.journal(sampleIntent("a"), agent)).rejects.toThrow();
  });

  it("keeps an event that cannot be written and writes it with a later one", async () => {
    const { file, ledger, faults, ids } = open();
    await ledger.journal(sampleIntent("a"), null);
    tamper(file, "ALTER TABLE events RENAME TO hidden");
    const { event, cards } = sampleSettlement("a");
    await ledger.settle({ event, cards });
    expect([ledger.countUnsettled(), faults.length]).toEqual([1, 1]);
    ledger.retryUnsettled();
    expect([ledger.countUnsettled(), faults.length]).toEqual([1, 2]);
    tamper(file, "ALTER TABLE hidden RENAME TO events");
    const later = sampleSettlement("b");
    await ledger.settle(later);
    expect(ids().sort()).toEqual(["a", "b"]);
    expect(ledger.countUnsettled()).toBe(0);
    expect(ledger.openIntents()).toEqual([]);
  });

  it("counts the live calls of each UTC month, and no test call", async () => {
    const { ledger } = open();
    const december = Date.parse("2026-12-01T00:00:00Z");
    await ledger.append([
      sampleSettlement("a", { created_at: december - 1 }),
      sampleSettlement("b", { created_at: december }),
      sampleSettlement("c", { created_at: december }),
      sampleSettlement("d", { created_at: december, mode: "test" }),
      sampleSettlement("e", { created_at: december, org_id: "other" }),
    ]);
    expect([ledger.monthlyCalls("org", "2026-11"), ledger.monthlyCalls("org", "2026-12")]).toEqual([1, 2]);
    expect(ledger.monthlyCalls("org", "2027-01")).toBe(0);
  });

  it("registers an agent once, with its first call, separately per organization and mode", async () => {
    const { ledger, reader } = open();
    const agent = { id: "uuid", org_id: "org", mode: "live", agent_key: "a", first_seen_at: 1 } as const;
    await ledger.journal(sampleIntent("1"), agent);
    await ledger.journal(sampleIntent("2"), { ...agent, id: "another" });
    expect(ledger.agentsOf("org", "live", 10)).toEqual(["a"]);
    expect(ledger.hasAgent("org", "live", "a")).toBe(true);
    expect([ledger.hasAgent("org", "test", "a"), ledger.hasAgent("x", "live", "a")]).toEqual([false, false]);
    expect(reader.agents().map(({ id }) => id)).toEqual(["uuid"]);
  });

  it("LIM-007 finds every admission of the last minute, no matter when the call settled", async () => {
    const { ledger } = open();
    const now = 10_000_000;
    await ledger.append([
      sampleSettlement("long ago", { created_at: now - 500_000, latency_ms: 10 }),
      sampleSettlement("quick", { created_at: now - 50_000, latency_ms: 10 }),
      sampleSettlement("slow, admitted before the window", {
        created_at: now - 300_000,
        latency_ms: 299_000,
      }),
      sampleSettlement("other", { created_at: now - 20_000, mode: "test" }),
      sampleSettlement("ingested", { created_at: now - 10_000, source: "ingest" }),
    ]);
    expect(ledger.recentCalls(now - 60_000)).toEqual([
      { org_id: "org", mode: "live", created_at: now - 50_000 },
      { org_id: "org", mode: "test", created_at: now - 20_000 },
    ]);
  });
});
