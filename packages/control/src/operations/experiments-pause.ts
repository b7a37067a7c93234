import type { experimentsPause as operation } from "@tollgate/core/contract/experiments/pause";
import { changeExperimentStatus } from "../experiments/change-experiment-status.ts";
import { toExperiment } from "../experiments/to-experiment.ts";
import { findExperiment } from "./find-experiment.ts";
import type { Handler } from "./handler.ts";

export const experimentsPause: Handler<typeof operation> = async (context, { id }) => {
  const row = await findExperiment(context, id);
  return await toExperiment(
    context.db,
    await changeExperimentStatus(context, row, "running", "paused"),
    context.now(),
  );
};
