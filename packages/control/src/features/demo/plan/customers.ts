import type { Draw } from "./draw.ts";

const first = ["north", "blue", "silver", "green", "east", "stone", "bright", "red", "open", "iron"] as const;
const second = ["wind", "harbor", "field", "bridge", "river", "peak", "works", "labs", "foods"] as const;

/** Largest first. */
export const customers: readonly string[] = Array.from(
  // Ten and nine have no common factor, so every name occurs once.
  { length: first.length * second.length },
  (_, rank) => `${first[rank % first.length]}${second[rank % second.length]}`,
);

/** Zipf's law: the largest customer calls twice as often as the second and ten times as often as the tenth. */
const weights = customers.map((_, rank) => 1 / (rank + 1));

export function drawCustomer(draw: Draw): string {
  return customers[draw.weighted(weights)] ?? "northwind";
}
