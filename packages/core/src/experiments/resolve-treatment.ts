import { resolveTarget, targetName } from "../models/resolve-target.ts";
import type { Catalogue } from "../pricing/catalogue.ts";

/** The name that the gateway routes by. */
export function resolveTreatment(asked: string, catalogue: Catalogue, at: Date): string {
  return targetName(resolveTarget("treatment_model", asked, catalogue, at), catalogue);
}
