import type { outcomesGet as operation } from "@tollgate/core/contract/outcomes/get";
import type { Handler } from "../kernel/handler.ts";
import { findOutcome } from "./find-outcome.ts";
import { toOutcome } from "./to-outcome.ts";

export const outcomesGet: Handler<typeof operation> = async (context, { id }) =>
  await toOutcome(context, await findOutcome(context, id));
