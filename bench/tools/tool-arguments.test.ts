import { describe, expect, it } from "bun:test";
import { surfaces } from "@tollgate/tools/surfaces";
import { TURNS } from "./measure-tool.ts";
import { argumentsOf, isMeasured } from "./tool-arguments.ts";

const agentIds = Array.from({ length: 5 }, () => crypto.randomUUID());

/** Invalid arguments are refused before an operation is called. */
const REACHED = new Error("an operation was called");

describe("the arguments of the tools bench", () => {
  for (const tool of surfaces.hosted.filter(isMeasured)) {
    it(`exist for ${tool.name}, are accepted by it, and differ if it takes any`, async () => {
      const argumentsFor = argumentsOf(tool);
      const seen = new Set<string>();
      for (let turn = 0; turn < TURNS; turn++) {
        const args = argumentsFor?.(turn, { agentIds });
        expect(args).toBeDefined();
        await expect(tool.answer(() => Promise.reject(REACHED), args)).rejects.toBe(REACHED);
        seen.add(JSON.stringify(args));
      }
      expect(seen.size > 1 || seen.has("{}")).toBe(true);
    });
  }
});
