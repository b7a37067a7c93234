import type { TableName } from "../../database/schema.ts";
import type { Upsert, Value } from "../../database/upsert-rows.ts";
import { addTotals, type Contribution, totalColumns } from "../rollup-sums.ts";

/** How to add sums to the table of sessions, customers, config versions or keys. */
export const subjectUpsert = (table: TableName, key: string): Upsert => ({
  table,
  columns: ["scope", key, ...totalColumns, "first_at", "last_at"],
  key: ["scope", key],
  add: totalColumns,
  least: ["first_at"],
  greatest: ["last_at"],
  returning: ["id", "scope", `${key} AS key`],
});

/** A row returned by `subjectUpsert`. */
export interface WrittenSubject {
  readonly id: number;
  readonly scope: number;
  readonly key: string;
}

interface SubjectSum {
  readonly scope: number;
  readonly key: string;
  readonly totals: number[];
  firstAt: number;
  lastAt: number;
  id: number | null;
}

/** A session, customer, config version or key that changes belong to. */
export type Subject = Readonly<Pick<SubjectSum, "id">>;

/** The sums of a batch for each session, customer, config version or key. */
export class SubjectSums {
  readonly #sums = new Map<number, Map<string, SubjectSum>>();

  /** The subject has no id before `identify`. */
  add(scope: number, key: string | null, part: Contribution): Subject | null {
    if (key === null) return null;
    const subjects = this.#sums.get(scope) ?? new Map<string, SubjectSum>();
    if (subjects.size === 0) this.#sums.set(scope, subjects);
    let sum = subjects.get(key);
    if (sum === undefined) {
      const totals = new Array<number>(totalColumns.length).fill(0);
      sum = { scope, key, totals, firstAt: part.at, lastAt: part.at, id: null };
      subjects.set(key, sum);
    }
    addTotals(sum.totals, 0, part);
    sum.firstAt = Math.min(sum.firstAt, part.at);
    sum.lastAt = Math.max(sum.lastAt, part.at);
    return sum;
  }

  /** For `subjectUpsert`. */
  rows(): Value[][] {
    return [...this.#sums.values()].flatMap(subjects =>
      [...subjects.values()].map(sum => [sum.scope, sum.key, ...sum.totals, sum.firstAt, sum.lastAt]),
    );
  }

  identify(written: readonly WrittenSubject[]): void {
    for (const { scope, key, id } of written) {
      const sum = this.#sums.get(scope)?.get(key);
      if (sum !== undefined) sum.id = id;
    }
  }
}

/** null: the change belongs to no such subject. */
export function idOf(subject: Subject | null): number | null {
  if (subject === null) return null;
  if (subject.id === null)
    throw new Error("a session, customer, config version or key has no id after it was written");
  return subject.id;
}
