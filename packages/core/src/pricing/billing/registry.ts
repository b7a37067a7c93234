import type { ProviderId } from "../../provider-id.ts";
import { anthropicBilling } from "./anthropic.ts";
import type { ProviderBilling } from "./billing.ts";
import { googleBilling } from "./google.ts";
import { openaiBilling } from "./openai.ts";
import { xaiBilling } from "./xai.ts";

export const billingOf: { readonly [provider in ProviderId]: ProviderBilling } = {
  openai: openaiBilling,
  anthropic: anthropicBilling,
  google: googleBilling,
  xai: xaiBilling,
};
