/**
 * Names that the base data does not know, of models that it does. A name has the price of its model, on every day and
 * in every tier, unless something prices the name itself.
 */
import type { ProviderId } from "../provider-id.ts";

export const modelAliases: { readonly [provider in ProviderId]: ReadonlyMap<string, string> } = {
  openai: new Map([
    ["chat-latest", "gpt-chat-latest"],
    ["daybreak-blue-latest", "gpt-5.6-sol"],
    ["gpt-daybreak-blue-latest", "gpt-5.6-sol"],
    ["daybreak-red-latest", "gpt-5.6-cyber"],
    ["gpt-daybreak-red-latest", "gpt-5.6-cyber"],
  ]),
  anthropic: new Map([["claude-mythos-preview", "claude-mythos-5"]]),
  google: new Map([
    ["gemini-pro-latest", "gemini-3.1-pro-preview"],
    ["gemini-flash-latest", "gemini-3.8-flash"],
    ["gemini-flash-lite-latest", "gemini-3.5-flash-lite"],
    ["gemini-embedding-2-preview", "gemini-embedding-2"],
  ]),
  xai: new Map([["grok-build-latest", "grok-4.5"]]),
};
