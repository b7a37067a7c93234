import { NOT_OUR_CURSOR } from "@tollgate/core/contract/fields/paging";
import { fail } from "@tollgate/core/errors";
import type { Position } from "@tollgate/storage/read-model/page";
import type { Context } from "./context.ts";

type List = "events" | "sessions" | "customers" | "config_versions" | "refusals";

export function nextCursorOf({ cursors, scope }: Context, list: List, next: Position | null): string | null {
  return next === null ? null : cursors.seal(scope, list, next);
}

/** The position after which a page begins; undefined: at the start. */
export function positionOfCursor(
  { cursors, scope }: Context,
  list: List,
  cursor: string | undefined,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const position = cursors.open(scope, list, cursor);
  if (position === null) throw fail("invalid_request", `cursor: ${NOT_OUR_CURSOR}`);
  return position;
}
