/**
 * Model names missing from the base data, mapped to a model that it contains. An alias has its model's price, on every
 * date and in every tier, unless an override prices the alias itself.
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
  anthropic: new Map([
    ["claude-mythos-preview", "claude-mythos-5"],
    ["claude-sonnet-5.5", "claude-sonnet-5-5"],
    ["claude-2.0", "claude-2"],
    ["claude-2.1", "claude-2"],
  ]),
  google: new Map([
    ["gemini-pro-latest", "gemini-3.1-pro-preview"],
    ["gemini-flash-latest", "gemini-3.8-flash"],
    ["gemini-flash-lite-latest", "gemini-3.5-flash-lite"],
    ["gemini-embedding-2-preview", "gemini-embedding-2"],
    ["gemini-3.1-pro-preview-customtools", "gemini-3.1-pro-preview"],
    ["gemini-2.5-flash-preview-04-17-thinking", "gemini-2.5-flash-preview"],
    ["gemini-live-2.5-flash-native-audio", "gemini-live-2.5-flash"],
    ["gemini-live-2.5-flash-preview-native-audio", "gemini-live-2.5-flash"],
    ["gemini-live-2.5-flash-preview-native-audio-09-2025", "gemini-live-2.5-flash"],
  ]),
  xai: new Map([["grok-build-latest", "grok-4.5"]]),
};
