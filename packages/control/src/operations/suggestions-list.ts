import type { suggestionsList as operation } from "@tollgate/core/contract/suggestions-list";
import { findAgent } from "./find-agent.ts";
import type { Handler } from "./handler.ts";

/** No check exists yet, and the answer says so: an empty `checks_run` is not a clean bill. */
export const suggestionsList: Handler<typeof operation> = async (context, input) => {
  if (input.agent_id !== undefined) await findAgent(context, input.agent_id);
  return { suggestions: [], checks_run: [], total_monthly_savings_cents: 0, suggestion_count: 0 };
};
