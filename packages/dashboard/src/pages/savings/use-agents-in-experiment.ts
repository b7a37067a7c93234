import { type Input, useOperation } from "../../data/use-operation.ts";

/** The agents whose experiment runs or is paused: meanwhile, the gateway refuses to switch them to a third model. */
export function useAgentsInExperiment(
  filter: Input<"experiments.list">,
  options: { readonly enabled?: boolean } = {},
): ReadonlySet<string> {
  const { data } = useOperation("experiments.list", filter, options);
  const ongoing = data?.experiments.filter(({ status }) => status === "running" || status === "paused");
  return new Set(ongoing?.map(({ agent_id }) => agent_id));
}
