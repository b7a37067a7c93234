import type { Handler } from "../kernel/handler.ts";
import { changeExperimentStatus } from "./change-experiment-status.ts";
import { findExperiment } from "./find-experiment.ts";
import { toExperiment } from "./to-experiment.ts";

export const experimentsResume: Handler<"experiments.resume"> = async (context, { id }) => {
  const row = await findExperiment(context, id);
  return await toExperiment(
    context.db,
    await changeExperimentStatus(context, row, "paused", "running"),
    context.now(),
  );
};
