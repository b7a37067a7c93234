import type { Scope } from "../../ledger/scope.ts";
import type { Page, Position } from "../page.ts";
import type { SubjectQueries, SubjectTotals } from "../queries/subject-queries.ts";
import type { VisibleWindow } from "../window.ts";
import { keysCutBy, readUsedKeys, recentKeySums, toKeyUsage, type UsedKey } from "./read-key-usage.ts";
import {
  configVersionKind,
  customerKind,
  pageOfSubjects,
  readCustomerDays,
  readSubject,
  readSubjects,
  type SubjectKind,
  sessionKind,
  toSubjectPage,
} from "./read-subjects.ts";
import type { ScopedReader } from "./scoped-reader.ts";

const NOTHING: Page<SubjectTotals> = { rows: [], next: null };

export function createSubjectQueries(reader: ScopedReader): SubjectQueries {
  const { engine } = reader;

  const pagesOf =
    (kind: SubjectKind) => (scope: Scope, window: VisibleWindow, limit: number, after?: Position) =>
      reader.read(scope, NOTHING, (db, id) => readSubjects(db, engine, kind, id, window, limit, after));

  const oneOf =
    (kind: SubjectKind) =>
    (scope: Scope, key: string, visibleFrom = 0) =>
      reader.read<SubjectTotals | null>(scope, null, (db, id) =>
        readSubject(db, engine, kind, id, key, visibleFrom),
      );

  return {
    sessions: pagesOf(sessionKind),
    async sessionsOf(scope, filter, window, limit, after) {
      const rows = await reader.readFiltered(scope, filter, (id, of) =>
        pageOfSubjects(engine, sessionKind, id, window, limit, after, of),
      );
      return await reader.read(scope, NOTHING, (db, id) =>
        toSubjectPage(db, engine, sessionKind, id, window, limit, rows),
      );
    },
    session: oneOf(sessionKind),
    customers: pagesOf(customerKind),
    customer: oneOf(customerKind),
    customerDays: (scope, customerId, window) =>
      reader.readEvenWithoutCalls(scope, (db, id) => readCustomerDays(db, engine, id, customerId, window)),
    configVersions: pagesOf(configVersionKind),
    async keyUsage(scope, keyIds, visibleFrom) {
      const used = await reader.read<readonly UsedKey[]>(scope, [], (db, id) =>
        readUsedKeys(db, engine, id, keyIds),
      );
      const cut = keysCutBy(visibleFrom, used);
      const sums =
        cut.length === 0
          ? []
          : await reader.readLong(scope, id => recentKeySums(engine, id, cut, visibleFrom));
      return toKeyUsage(used, visibleFrom, sums);
    },
  };
}
