import type { Scope } from "./scope.ts";

/** A scope's key in a map. */
export function scopeName({ orgId, mode }: Scope): string {
  return `${mode} ${orgId}`;
}
