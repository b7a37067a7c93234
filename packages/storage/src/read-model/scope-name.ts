import type { Scope } from "./queries.ts";

/** What a scope is known by in a map. */
export function scopeName({ orgId, mode }: Scope): string {
  return `${mode} ${orgId}`;
}
