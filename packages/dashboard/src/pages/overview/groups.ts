import type { Output } from "../../data/use-operation.ts";
import type { FilterName } from "../../data/view-search.ts";

/** Dimensions that the chart can be split by. */
export type Group = "model" | "agent" | "customer" | "provider" | "key" | "cost_kind";

export const groupOptions: readonly { readonly value: Group; readonly label: string }[] = [
  { value: "model", label: "Model" },
  { value: "agent", label: "Agent" },
  { value: "customer", label: "Customer" },
  { value: "provider", label: "Provider" },
  { value: "key", label: "API key" },
  { value: "cost_kind", label: "Kind" },
];

const DEFAULT_GROUP: Group = "model";

/** `by` in the URL; the default is left out. */
export function readGroup(raw: Readonly<Record<string, unknown>>): { readonly by?: Group } {
  const by = groupOptions.find(({ value }) => value === raw.by)?.value;
  return by === undefined || by === DEFAULT_GROUP ? {} : { by };
}

export function groupOf(raw: Readonly<Record<string, unknown>>): Group {
  return readGroup(raw).by ?? DEFAULT_GROUP;
}

/** Showing only one of a group is a filter; kinds of cost cannot be filtered by. */
export function filterOf(group: Group): FilterName | null {
  return group === "cost_kind" ? null : group;
}

type Row = Output<"analytics.breakdown">["groups"][number];

const withoutOne: Readonly<Record<Group, string>> = {
  model: "No model",
  agent: "Verifications",
  customer: "No customer",
  provider: "No provider",
  key: "No API key",
  cost_kind: "Other",
};

export function nameOf(group: Group, { key, name }: Pick<Row, "key" | "name">): string {
  if (key === null) return withoutOne[group];
  return name ?? (group === "cost_kind" ? key.replaceAll("_", " ") : key);
}
