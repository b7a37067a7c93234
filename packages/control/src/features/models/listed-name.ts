import { findModel } from "@tollgate/core/models/find-model";
import { withoutProvider } from "@tollgate/core/suggestions/switched-saving";
import type { Control } from "../../kernel/context.ts";

/** A model's name in the catalogue, for comparisons: snapshots and aliases have that of their model. */
export function listedName({ catalogue, now }: Pick<Control, "catalogue" | "now">, name: string): string {
  return findModel(catalogue, name, new Date(now()))?.id ?? withoutProvider(name);
}
