import type { experimentsStop as operation } from "@tollgate/core/contract/experiments/stop";
import { fail } from "@tollgate/core/errors";
import { endExperiment } from "../experiments/end-experiment.ts";
import { isOpen } from "../experiments/experiment-row.ts";
import { toExperiment } from "../experiments/to-experiment.ts";
import { actorName } from "./actor-name.ts";
import { findExperiment } from "./find-experiment.ts";
import type { Handler } from "./handler.ts";

export const experimentsStop: Handler<typeof operation> = async (context, input) => {
  const row = await findExperiment(context, input.id);
  const ended = isOpen(row)
    ? await endExperiment(context, row.id, {
        reason: "stopped",
        promote: input.promote_winner,
        by: actorName(context.actor),
        at: context.now(),
      })
    : null;
  if (ended === null) throw fail("invalid_request", "This experiment is over already; its results are kept");
  return {
    status: ended.row.status === "completed" ? "completed" : "cancelled",
    promoted: ended.promoted,
    message: ended.message,
    experiment: await toExperiment(context.db, ended.row, context.now()),
  };
};
