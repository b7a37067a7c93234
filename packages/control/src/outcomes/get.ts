import type { Handler } from "../kernel/handler.ts";
import { findOutcome } from "./find-outcome.ts";
import { toOutcome } from "./to-outcome.ts";

export const outcomesGet: Handler<"outcomes.get"> = async (context, { id }) =>
  await toOutcome(context, await findOutcome(context, id));
