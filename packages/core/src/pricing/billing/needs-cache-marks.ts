import { isProviderId } from "../../provider-id.ts";
import { billingOf } from "./registry.ts";

/** Providers of telemetry that we do not serve are assumed to cache by themselves. */
export function needsCacheMarks({ provider }: { readonly provider: string }): boolean {
  return isProviderId(provider) && billingOf[provider].needsCacheMarks;
}
