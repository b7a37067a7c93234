import type { RawBuilder } from "kysely";
import type { ControlDatabase } from "../../database/open-control-database.ts";
import { readTogether } from "../../database/read-together.ts";
import type { ControlDb } from "../../database/schema.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Scope } from "../../ledger/scope.ts";
import type { BreakdownFilter } from "../breakdown.ts";
import { isRefillDue } from "../deriving/refill-sums.ts";
import { hasManyAgents } from "./read-agents.ts";
import { type ResolvedFilter, resolveFilter } from "./resolve-filter.ts";
import { scopeFinder } from "./scope-finder.ts";

/** Reads the data of a scope. A query that may take long is given to the reader thread, to block nothing else. */
export class ScopedReader {
  readonly #findScope = scopeFinder();
  #areSumsFilled = false;

  constructor(private readonly database: ControlDatabase) {}

  get db(): ControlDb {
    return this.database.db;
  }

  get engine(): Engine {
    return this.database.engine;
  }

  /** After an upgrade, sums that an older version did not have are missing for a while. */
  async areSumsFilled(): Promise<boolean> {
    this.#areSumsFilled ||= !(await isRefillDue(this.db));
    return this.#areSumsFilled;
  }

  /** `nothing`: the answer for a scope that has no calls. */
  read<Answer>(
    scope: Scope,
    nothing: Answer,
    run: (db: ControlDb, scope: number) => Promise<Answer>,
  ): Promise<Answer> {
    return this.readEvenWithoutCalls(scope, async (db, id) => (id === null ? nothing : run(db, id)));
  }

  /** The scope's number is null if it has no calls. */
  readEvenWithoutCalls<Answer>(
    scope: Scope,
    run: (db: ControlDb, scope: number | null) => Promise<Answer>,
  ): Promise<Answer> {
    return readTogether(this.database, async db => run(db, await this.#findScope(db, scope)));
  }

  /** For queries over all agents of a scope: only large fleets are read in the reader thread. */
  async readFleet<Row>(scope: Scope, build: (scope: number) => RawBuilder<Row>): Promise<Row[]> {
    const result = await this.read(scope, null, async (db, id) => {
      const ofScope = build(id);
      const isLong = await hasManyAgents(db, id);
      return isLong ? ofScope : (await ofScope.execute(db)).rows;
    });
    if (result === null) return [];
    // Only now is the connection free again.
    return "compile" in result ? this.#readInThread(result) : [...result];
  }

  async countInFleet(
    scope: Scope,
    build: (scope: number) => RawBuilder<{ readonly count: number }>,
  ): Promise<number> {
    const [row] = await this.readFleet(scope, build);
    return Number(row?.count ?? 0);
  }

  /** For queries whose cost grows with calls or outcomes: always in the reader thread. */
  async readLong<Row>(scope: Scope, build: (scope: number) => RawBuilder<Row>): Promise<Row[]> {
    return this.readLongEvenWithoutCalls(scope, id => (id === null ? null : build(id)));
  }

  /** The scope's number is null if it has no calls. Without a query, there are no rows. */
  async readLongEvenWithoutCalls<Row>(
    scope: Scope,
    build: (scope: number | null) => RawBuilder<Row> | null,
  ): Promise<Row[]> {
    const query = build(await this.readEvenWithoutCalls(scope, async (_, id) => id));
    return query === null ? [] : await this.#readInThread(query);
  }

  /** The same with a filter; a filter that nothing matches has no rows. */
  async readFiltered<Row>(
    scope: Scope,
    filter: BreakdownFilter,
    build: (scope: number, filter: ResolvedFilter) => RawBuilder<Row>,
  ): Promise<Row[]> {
    const found = await this.read(scope, null, async (db, id) => {
      const resolved = await resolveFilter(db, id, filter);
      return resolved === null ? null : build(id, resolved);
    });
    return found === null ? [] : await this.#readInThread(found);
  }

  #readInThread<Row>(query: RawBuilder<Row>): Promise<Row[]> {
    return this.database.longRead({ compile: () => query.compile(this.db) });
  }
}
