import { isProviderId } from "../../provider-id.ts";
import { billingOf } from "./registry.ts";

/** Unsupported providers in telemetry are assumed to cache automatically. */
export function needsCacheMarks({ provider }: { readonly provider: string }): boolean {
  return isProviderId(provider) && billingOf[provider].needsCacheMarks;
}
