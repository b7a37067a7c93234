import { expect, it } from "bun:test";
import { tables } from "@tollgate/storage/database/schema";
import { deletedTables, keptTables } from "./remove-demo.ts";

it("every table with an organization is either deleted with a demo or kept for the ledger's sake", () => {
  const ofOrganizations = Object.entries(tables).flatMap(([table, columns]) =>
    "org_id" in columns ? [table] : [],
  );
  expect([...deletedTables, ...keptTables].toSorted()).toEqual(ofOrganizations.toSorted() as never);
});
