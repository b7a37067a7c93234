import { fail } from "@tollgate/core/errors";
import { actorName } from "../kernel/actor-name.ts";
import type { Handler } from "../kernel/handler.ts";
import { endExperiment } from "./end-experiment.ts";
import { isOpen } from "./experiment-row.ts";
import { findExperiment } from "./find-experiment.ts";
import { toExperiment } from "./to-experiment.ts";

export const experimentsStop: Handler<"experiments.stop"> = async (context, input) => {
  const row = await findExperiment(context, input.id);
  const ended = isOpen(row)
    ? await endExperiment(context, row.id, {
        reason: "stopped",
        promote: input.promote_winner,
        by: actorName(context.actor),
        at: context.now(),
      })
    : null;
  if (ended === null)
    throw fail("invalid_request", "This experiment has already ended; its results are kept");
  return {
    status: ended.row.status,
    promoted: ended.promoted,
    message: ended.message,
    experiment: await toExperiment(context.db, ended.row, context.now()),
  };
};
