import { modes } from "@tollgate/core/event";
import type { Scope } from "./scope.ts";

export function toScope(row: { readonly org_id: string; readonly mode: string }): Scope {
  const mode = modes.find(known => known === row.mode);
  if (mode === undefined)
    throw new Error(`a row of organization ${row.org_id}: mode is ${JSON.stringify(row.mode)}`);
  return { orgId: row.org_id, mode };
}
