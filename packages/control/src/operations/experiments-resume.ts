import type { experimentsResume as operation } from "@tollgate/core/contract/experiments/resume";
import { changeExperimentStatus } from "../experiments/change-experiment-status.ts";
import { toExperiment } from "../experiments/to-experiment.ts";
import { findExperiment } from "./find-experiment.ts";
import type { Handler } from "./handler.ts";

export const experimentsResume: Handler<typeof operation> = async (context, { id }) => {
  const row = await findExperiment(context, id);
  return await toExperiment(
    context.db,
    await changeExperimentStatus(context, row, "paused", "running"),
    context.now(),
  );
};
