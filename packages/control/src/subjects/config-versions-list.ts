import { visibleWindow } from "@tollgate/core/limits/history-window";
import type { Handler } from "../kernel/handler.ts";
import { nextCursorOf, positionOfCursor } from "../kernel/next-cursor.ts";
import { toSubject } from "./to-subject.ts";

export const configVersionsList: Handler<"config_versions.list"> = async (context, input) => {
  const window = visibleWindow(input, context.organization.tier, context.now());
  const after = positionOfCursor(context, "config_versions", input.cursor);
  const page = await context.readModel.configVersions(context.scope, window, input.limit, after);
  return {
    config_versions: page.rows.map(row => ({ config_version: row.key, ...toSubject(row) })),
    next_cursor: nextCursorOf(context, "config_versions", page.next),
  };
};
