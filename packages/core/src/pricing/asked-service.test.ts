import { expect, it } from "bun:test";
import type { ProviderId } from "../provider-id.ts";
import { askedService, servedOrAsked } from "./asked-service.ts";

const nothing = { serviceTier: null, speed: null, region: null };

it.each<[ProviderId, object, object | null]>([
  ["openai", {}, null],
  ["openai", { service_tier: "auto" }, null],
  ["openai", { service_tier: "default" }, null],
  ["openai", { service_tier: "priority" }, { serviceTier: "priority" }],
  ["openai", { service_tier: "flex" }, { serviceTier: "flex" }],
  ["openai", { service_tier: "batch" }, null],
  ["openai", { service_tier: "invented" }, null],
  ["openai", { service_tier: ["flex"] }, null],
  ["openai", { speed: "fast", inference_geo: "us" }, null],
  ["anthropic", { service_tier: "standard_only" }, null],
  ["anthropic", { speed: "fast" }, { speed: "fast" }],
  ["anthropic", { speed: "standard", inference_geo: "global" }, null],
  ["anthropic", { inference_geo: "us" }, { region: "us" }],
  ["google", { service_tier: "flex" }, { serviceTier: "flex" }],
  ["xai", { service_tier: "priority" }, { serviceTier: "priority" }],
])("MON-018 %s with %j is asked to serve as %j", (provider, body, expected) => {
  expect(askedService(provider, { ...body }, true)).toEqual(
    expected === null ? null : ({ ...nothing, ...expected } as never),
  );
});

it("ignores options that are lost in translation", () => {
  expect(askedService("openai", { service_tier: "priority" }, false)?.serviceTier).toBe("priority");
  expect(askedService("xai", { service_tier: "priority" }, false)).toBeNull();
  expect(askedService("anthropic", { speed: "fast", inference_geo: "us" }, false)).toBeNull();
});

it("MON-018 keeps what the answer reported, field by field", () => {
  const reported = { ...nothing, serviceTier: "default", searchTool: "web_search_preview" };
  const asked = { serviceTier: "priority", speed: "fast", region: null };
  expect(servedOrAsked(reported, asked)).toEqual({ ...reported, speed: "fast" });
  expect(servedOrAsked(reported, null)).toBe(reported);
});
