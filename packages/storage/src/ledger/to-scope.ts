import type { Mode } from "@tollgate/core/event";
import type { Scope } from "../read-model/queries.ts";

/** From a stored row; the tables allow no other modes. */
export function toMode(text: string): Mode {
  return text === "test" ? "test" : "live";
}

export function toScope(row: { readonly org_id: string; readonly mode: string }): Scope {
  return { orgId: row.org_id, mode: toMode(row.mode) };
}
