import { type Mode, modes } from "@tollgate/core/event";

/** Organization and mode. Test traffic is never in a total of live traffic, so every query has a scope. */
export interface Scope {
  readonly orgId: string;
  readonly mode: Mode;
}

/** A scope's key in a map. */
export function scopeName({ orgId, mode }: Scope): string {
  return `${mode} ${orgId}`;
}

export function toScope(row: { readonly org_id: string; readonly mode: string }): Scope {
  const mode = modes.find(known => known === row.mode);
  if (mode === undefined)
    throw new Error(`a row of organization ${row.org_id}: mode is ${JSON.stringify(row.mode)}`);
  return { orgId: row.org_id, mode };
}
