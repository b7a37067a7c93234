import { describe, expect, it } from "bun:test";
import type { ProviderId } from "../provider-id.ts";
import { budgetToolBound } from "./tool-bound.ts";

const search = { type: "web_search_20250305", name: "web_search" };
const fetching = { type: "web_fetch_20250910", name: "web_fetch" };
const newer = { type: "web_search_20260209", name: "web_search", max_uses: 3 };
const ours = { name: "lookup", input_schema: {} };

const bounded: readonly [string, ProviderId, Record<string, unknown>, number, number][] = [
  ["no tools", "anthropic", {}, 0, 1],
  ["the client's own", "anthropic", { tools: [ours, { type: "custom" }, { type: "bash_20250124" }] }, 0, 1],
  ["functions", "openai", { tools: [{ type: "function" }, { type: "local_shell" }] }, 0, 1],
  ["no servers", "anthropic", { mcp_servers: [], tools: null }, 0, 1],
  [
    "other edits",
    "anthropic",
    { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
    0,
    1,
  ],
  ["a search that is off", "xai", { search_parameters: { mode: "off" } }, 0, 1],
  ["anthropic's search", "anthropic", { tools: [{ ...search, max_uses: 5 }, ours] }, 5, 7],
  [
    "two tools",
    "anthropic",
    {
      tools: [
        { ...search, max_uses: 5 },
        { ...fetching, max_uses: 2 },
      ],
    },
    7,
    9,
  ],
  ["a newer version", "anthropic", { tools: [{ ...newer, allowed_callers: ["direct"] }] }, 3, 5],
  [
    "openai's tools",
    "openai",
    {
      max_tool_calls: 4,
      tools: [{ type: "web_search" }, { type: "file_search" }, { type: "code_interpreter" }],
    },
    4,
    6,
  ],
  ["the older search", "openai", { max_tool_calls: 0, tools: [{ type: "web_search_preview" }] }, 0, 2],
  ["a chat that searches", "openai", { web_search_options: {} }, 1, 1],
];

const unbounded: readonly [string, ProviderId, Record<string, unknown>, string][] = [
  ["a search without a limit", "anthropic", { tools: [search] }, "max_uses"],
  ["one of two", "anthropic", { tools: [{ ...search, max_uses: 5 }, fetching] }, "max_uses"],
  ["a limit that is none", "anthropic", { tools: [{ ...search, max_uses: 401 }] }, "400"],
  ["a limit that is no number", "anthropic", { tools: [{ ...search, max_uses: "5" }] }, "max_uses"],
  ["code", "anthropic", { tools: [{ type: "code_execution_20250825", max_uses: 1 }] }, "no others"],
  ["a search that code can call", "anthropic", { tools: [newer] }, "allowed_callers"],
  [
    "the same, explicitly",
    "anthropic",
    { tools: [{ ...newer, allowed_callers: ["direct", "code_execution_20260120"] }] },
    "allowed_callers",
  ],
  [
    "compaction",
    "anthropic",
    { context_management: { edits: [{ type: "compact_20260112" }] } },
    "compaction",
  ],
  ["compaction", "openai", { context_management: [{ type: "compaction" }] }, "compaction"],
  ["tools that are no list", "anthropic", { tools: { 0: search } }, "max_uses"],
  ["a list in a list", "anthropic", { tools: [[search]] }, "max_uses"],
  ["a type that is no text", "openai", { tools: [{ type: ["function"] }] }, "max_tool_calls"],
  ["tools in a tool", "openai", { tools: [{ type: "custom", tools: [{ type: "mcp" }] }] }, "none but"],
  ["other models", "anthropic", { fallbacks: [{ model: "claude-opus-4-8" }] }, "no fallbacks"],
  ["other models by default", "anthropic", { fallbacks: "default" }, "no fallbacks"],
  ["MCP servers", "anthropic", { mcp_servers: [{ url: "https://example.org" }] }, "no others"],
  ["a tool of tomorrow", "anthropic", { tools: [{ type: "advisor_20270101", max_uses: 1 }] }, "no others"],
  ["a search without max_tool_calls", "openai", { tools: [{ type: "web_search" }] }, "max_tool_calls"],
  ["MCP", "openai", { max_tool_calls: 1, tools: [{ type: "mcp" }] }, "none but"],
  ["pictures", "openai", { max_tool_calls: 1, tools: [{ type: "image_generation" }] }, "none but"],
  ["too many calls", "openai", { max_tool_calls: 1e9, tools: [{ type: "web_search" }] }, "400"],
  ["xai's tools", "xai", { max_tool_calls: 1, tools: [{ type: "x_search" }] }, "no limit"],
  ["xai's live search", "xai", { search_parameters: {} }, "no limit"],
  ["xai's live search, as openai writes it", "xai", { web_search_options: {} }, "no limit"],
  ["a stored prompt", "openai", { max_tool_calls: 1, prompt: { id: "pmpt_1" } }, "stored prompt"],
  ["google's search", "google", { tools: [{ type: "google_search" }] }, "no limit"],
];

describe("budgetToolBound", () => {
  for (const [what, provider, body, uses, iterations] of bounded) {
    it(`BUD-017 ${what}: ${uses} uses, ${iterations} iterations`, () => {
      expect(budgetToolBound(provider, "model", body)).toEqual({ uses, iterations });
    });
  }

  for (const [what, provider, body, remedy] of unbounded) {
    it(`BUD-017 is unbounded with ${what}, and the message says what to set`, () => {
      expect(budgetToolBound(provider, "model", body)).toEqual({ sentence: expect.stringContaining(remedy) });
    });
  }

  it("BUD-017 a model that searches for every answer searches once", () => {
    for (const model of ["gpt-4o-search-preview-2025-03-11", "gpt-5-search-api"]) {
      expect(budgetToolBound("openai", model, {})).toEqual({ uses: 1, iterations: 1 });
    }
  });
});
