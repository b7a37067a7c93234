import type { outcomesGet as operation } from "@tollgate/core/contract/outcomes/get";
import { findOutcome } from "./find-outcome.ts";
import type { Handler } from "./handler.ts";
import { toOutcome } from "./to-outcome.ts";

export const outcomesGet: Handler<typeof operation> = async (context, { id }) =>
  await toOutcome(context, await findOutcome(context, id));
