import { describeFault } from "@tollgate/core/log";
import { makeShrinkable } from "@tollgate/storage/engine/sqlite";
import type { Config } from "../config/config.ts";
import { logToStderr } from "../output/log-to-stderr.ts";

/** Before a plane opens its file: one of an older version has to be rewritten once to give space back. */
export function prepareForRetention({ retentionDays }: Config, path: string): void {
  if (retentionDays === null) return;
  try {
    if (makeShrinkable(path)) logToStderr("info", `${path} was rewritten, so that retention can shrink it`);
  } catch (fault) {
    const consequence = "retention reuses its space, but does not shrink it";
    logToStderr("warn", `${path} could not be rewritten: ${consequence}`, describeFault(fault));
  }
}
