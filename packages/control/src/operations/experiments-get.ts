import type { experimentsGet as operation } from "@tollgate/core/contract/experiments/get";
import { toExperiment } from "../experiments/to-experiment.ts";
import { findExperiment } from "./find-experiment.ts";
import type { Handler } from "./handler.ts";

export const experimentsGet: Handler<typeof operation> = async (context, { id }) =>
  await toExperiment(context.db, await findExperiment(context, id), context.now());
