import { encodeCursor } from "@tollgate/core/contract/cursor";
import type { Position } from "@tollgate/storage/read-model/queries";

export function nextCursorOf(next: Position | null): string | null {
  return next === null ? null : encodeCursor({ at: next.at, key: String(next.seq) });
}
