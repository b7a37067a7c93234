import type { Scope } from "../read-model/queries.ts";

/** What a scope is known by in a map. */
export function scopeName({ orgId, mode }: Scope): string {
  return `${mode} ${orgId}`;
}
