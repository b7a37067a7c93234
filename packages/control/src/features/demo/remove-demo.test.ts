import { expect, it } from "bun:test";
import { tables } from "@tollgate/storage/database/schema";
import { deletedTables, keptTables, parts } from "./remove-demo.ts";

it("every table with an organization is either deleted with a demo or kept for the ledger's sake", () => {
  const ofOrganizations = Object.entries(tables).flatMap(([table, columns]) =>
    "org_id" in columns ? [table] : [],
  );
  expect([...deletedTables, ...keptTables].toSorted()).toEqual(ofOrganizations.toSorted() as never);
});

it("every table that belongs to one of these is deleted with it", () => {
  const naming = new Set<string>(parts.map(([, column]) => column));
  const belonging = Object.entries(tables).flatMap(([table, columns]) =>
    !("org_id" in columns) && Object.keys(columns).some(column => naming.has(column)) ? [table] : [],
  );
  expect(parts.map(([table]) => table).toSorted()).toEqual(belonging.toSorted() as never);
});
