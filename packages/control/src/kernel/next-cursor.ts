import { NOT_OUR_CURSOR } from "@tollgate/core/contract/fields/cursor";
import { fail } from "@tollgate/core/errors";
import type { Position } from "@tollgate/storage/read-model/queries";
import type { Context } from "./context.ts";

type List = "events" | "sessions" | "customers" | "config_versions";

export function nextCursorOf({ places, scope }: Context, list: List, next: Position | null): string | null {
  return next === null ? null : places.seal(scope, list, next);
}

/** Where a page begins; undefined: at the start. */
export function placeOfCursor(
  { places, scope }: Context,
  list: List,
  cursor: string | undefined,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const place = places.open(scope, list, cursor);
  if (place === null) throw fail("invalid_request", `cursor: ${NOT_OUR_CURSOR}`);
  return place;
}
