import { Database } from "bun:sqlite";
import { expect, it } from "bun:test";
import { copyFileSync } from "node:fs";
import { simulationRuns } from "../../../../test/support/full-size.ts";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { beforeStatements } from "../../../../test/support/labs/event-recorder.ts";
import { openLedgers } from "../../../../test/support/labs/open-ledgers.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { seeded } from "../../../../test/support/simulations/simulated-fleet.ts";
import { type ControlDatabase, openControlDatabase } from "../database/open-control-database.ts";
import { readPosition } from "../following/stored-position.ts";
import { LedgerReader } from "../ledger/ledger-reader.ts";
import { compareCopy, compareShipped } from "./compare-with-shared.ts";
import { LedgerCopy } from "./ledger-copy.ts";
import { removeSharedEvents } from "./shared-history.ts";
import { shipLedger, shippingReader } from "./ship-ledger.ts";

const databases = controlDatabases();
const openLedger = openLedgers();
const inFolder = temporaryFolder();
const STEPS = 40;

/** What a random schedule has appended, shipped, lost, restored and removed, in one installation. */
class Schedule {
  readonly #random: () => number;
  readonly #nodes = ["one", "other"].map(id => ({ id, backup: null as string | null, ...openLedger() }));
  #copy = openLedger();
  /** Ids of events that PostgreSQL has or had. */
  readonly #arrived = new Set<string>();
  #events = 0;
  /** Of the history: it only moves on. */
  #beginsAtMs = 0;

  constructor(
    private readonly seed: number,
    private readonly database: ControlDatabase,
  ) {
    this.#random = seeded(seed);
  }

  async run(): Promise<void> {
    const steps = [
      () => this.#append(),
      () => this.#append(),
      () => this.#ship(),
      () => this.#ship(),
      () => this.#refreshCopy(),
      () => this.#backUp(),
      () => this.#restore(),
      () => this.#shortenNode(),
      () => this.#shortenShared(),
    ];
    for (let step = 0; step < STEPS; step++) await this.#pick(steps)();
  }

  async verify(): Promise<void> {
    const { seed, database } = this;
    const { db } = database;
    const expected = new Set(this.#arrived);
    for (const { id, reader } of this.#nodes) {
      await shipLedger(database, reader, id, { onReship: () => {} }).catchUp();
      for (const { event } of reader.between(0, Number.MAX_SAFE_INTEGER)) expected.add(event.id);
    }
    await this.#note();
    const present = await db
      .selectFrom("shared_events")
      .select(["id", "position"])
      .orderBy("position")
      .execute();
    const removed = await db.selectFrom("shared_removed_events").select("events").execute();
    const removedCount = removed.reduce((sum, { events }) => sum + events, 0);
    const first = present[0]?.position ?? 1;
    expect([seed, present.map(({ position }) => position)]).toEqual([
      seed,
      present.map((_, at) => first + at),
    ]);
    expect([seed, new Set(present.map(({ id }) => id)).size]).toEqual([seed, present.length]);
    expect([seed, [...expected].filter(id => !this.#arrived.has(id))]).toEqual([seed, []]);
    expect([seed, present.length + removedCount]).toEqual([seed, this.#arrived.size]);
    for (const { id, reader } of this.#nodes) {
      const compared = await compareShipped(db, reader, id);
      const differences = compared?.differences.filter(one => !one.includes("that its ledger lacks")) ?? [];
      expect([seed, id, differences]).toEqual([seed, id, []]);
    }
    await this.#refresh(database);
    expect([seed, (await compareCopy(db, this.#copy.reader)).differences]).toEqual([seed, []]);
    this.#copy = openLedger();
    await this.#refresh(database);
    expect([seed, (await compareCopy(db, this.#copy.reader)).differences]).toEqual([seed, []]);
  }

  #pick<One>(all: readonly One[]): One {
    return all[Math.floor(this.#random() * all.length)] as One;
  }

  /** Some events are reported to both nodes. */
  async #append(): Promise<void> {
    const { ledger, reader } = this.#pick(this.#nodes);
    const count = 1 + Math.floor(this.#random() * 6);
    const known = new Set(reader.between(0, Number.MAX_SAFE_INTEGER).map(({ event }) => event.id));
    const settlements = Array.from({ length: count }, () => {
      const number = ++this.#events;
      const isReported = this.#random() < 0.2;
      const id = isReported
        ? `reported ${this.seed} ${Math.floor(number / 8)}`
        : `call ${String(number).padStart(6, "0")}`;
      return sampleSettlement(id, {
        source: isReported ? "ingest" : "gateway",
        created_at: SAMPLE_DAY + number,
        agent_key: `agent ${number % 3}`,
      });
    }).filter(
      ({ event }, at, all) => !known.has(event.id) && all.findIndex(one => one.event.id === event.id) === at,
    );
    await ledger.append(settlements);
  }

  /** By one or two sidecars, each of which may be killed before any statement. */
  async #ship(): Promise<void> {
    const { id, path } = this.#pick(this.#nodes);
    const sidecars = Array.from({ length: this.#random() < 0.3 ? 2 : 1 }, async () => {
      const dies = this.#random() < 0.5 ? 1 + Math.floor(this.#random() * 14) : 0;
      const reader = new LedgerReader(path);
      try {
        await shipLedger(this.#failing(dies), reader, id, { onReship: () => {} }).catchUp();
      } catch (fault) {
        if (!(fault instanceof Killed)) throw fault;
      } finally {
        reader.close();
      }
    });
    await Promise.all(sidecars);
    await this.#note();
  }

  async #refreshCopy(): Promise<void> {
    const dies = this.#random() < 0.4 ? 1 + Math.floor(this.#random() * 5) : 0;
    try {
      await this.#refresh(this.#failing(dies));
    } catch (fault) {
      if (!(fault instanceof Killed)) throw fault;
    }
  }

  async #refresh(database: ControlDatabase): Promise<void> {
    const { ledger, reader } = this.#copy;
    await (await LedgerCopy.open(database, ledger, reader.newestPosition())).refresh();
  }

  #backUp(): void {
    const node = this.#pick(this.#nodes);
    node.backup = inFolder(`backup-${crypto.randomUUID()}.db`);
    const file = new Database(node.path);
    file.run("VACUUM INTO ?", [node.backup]);
    file.close();
  }

  #restore(): void {
    const node = this.#pick(this.#nodes);
    if (node.backup === null) return;
    const path = inFolder(`restored-${crypto.randomUUID()}.db`);
    copyFileSync(node.backup, path);
    Object.assign(node, openLedger(path));
  }

  /** As `NodeRetention` does: only events that were shipped. */
  async #shortenNode(): Promise<void> {
    const { id, ledger, reader } = this.#pick(this.#nodes);
    const shipped = await readPosition(this.database.db, shippingReader(id));
    if (shipped === null || shipped.eventId === null || !reader.has(shipped)) return;
    await ledger.removeOldest(
      { seq: shipped.seq, eventId: shipped.eventId, atMs: SAMPLE_DAY + this.#events },
      10,
    );
  }

  async #shortenShared(): Promise<void> {
    const { db } = this.database;
    // Control planes remove only what they have.
    await this.#refresh(this.database);
    const rows = await db
      .selectFrom("shared_events")
      .select(["position", "id", "created_at"])
      .orderBy("position")
      .execute();
    const at = Math.floor(rows.length / 3);
    const first = rows[at];
    if (first === undefined || at === 0) return;
    const before = rows.slice(0, at).map(({ created_at }) => created_at);
    this.#beginsAtMs = Math.max(this.#beginsAtMs, ...before.map(createdAtMs => createdAtMs + 1));
    await db
      .updateTable("history")
      .set({ begins_at: this.#beginsAtMs, begins_seq: first.position, begins_event_id: first.id })
      .execute();
    await removeSharedEvents(db);
  }

  #failing(dies: number): ControlDatabase {
    let statements = 0;
    return beforeStatements(this.database, () => {
      if (++statements === dies) throw new Killed();
    });
  }

  async #note(): Promise<void> {
    for (const { id } of await this.database.db.selectFrom("shared_events").select("id").execute())
      this.#arrived.add(id);
  }
}

class Killed extends Error {}

it("REL-010 REL-021 whatever is killed, restored or removed in between, each event arrives once, and copies are equal", async () => {
  for (let seed = 1; seed <= simulationRuns(40); seed++) {
    const database = await openControlDatabase(await databases.place("postgres"));
    try {
      const schedule = new Schedule(seed, database);
      await schedule.run();
      await schedule.verify();
    } finally {
      await database.close();
    }
  }
}, 600_000);
