import type { Handler } from "../kernel/handler.ts";
import { findExperiment } from "./find-experiment.ts";
import { toExperiment } from "./to-experiment.ts";

export const experimentsGet: Handler<"experiments.get"> = async (context, { id }) =>
  await toExperiment(context.db, await findExperiment(context, id), context.now());
