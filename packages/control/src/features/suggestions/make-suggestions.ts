import { modelsOf } from "@tollgate/core/models/model-facts";
import { type SuggestionReport, suggest } from "@tollgate/core/suggestions/suggest";
import type { ScopedControl } from "../../kernel/context.ts";
import { type ObservedAgents, observeAgents } from "./observe-agents.ts";

/** All current suggestions, from this organization's own events. */
export async function makeSuggestions(
  context: ScopedControl,
  asked: Parameters<typeof observeAgents>[1],
): Promise<SuggestionReport & ObservedAgents> {
  const observed = await observeAgents(context, asked);
  return {
    ...observed,
    ...suggest(observed.agents, modelsOf(context.catalogue, {}, new Date(context.now()))),
  };
}
