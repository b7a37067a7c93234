import type { ProviderId } from "@tollgate/core/provider-id";
import { anthropic } from "./anthropic/provider.ts";
import { google } from "./google/provider.ts";
import { openai } from "./openai/provider.ts";
import type { Provider } from "./provider.ts";
import { xai } from "./xai/provider.ts";

/** All supported providers. A new one is a folder, its id in `core/provider-id.ts`, and a line here. */
export const providers: Readonly<Record<ProviderId, Provider>> = { openai, anthropic, google, xai };
