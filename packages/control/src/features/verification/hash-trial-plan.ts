import type { TrialPlan } from "@tollgate/core/verification/trial-plan";
import { canonicalJson } from "@tollgate/core/wire/canonical-json";

/** SHA-256 of the canonical JSON, in hex. */
export function hashTrialPlan(plan: TrialPlan): string {
  return new Bun.CryptoHasher("sha256").update(canonicalJson(plan)).digest("hex");
}
