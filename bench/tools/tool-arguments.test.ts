import { describe, expect, it } from "bun:test";
import { surfaces } from "@tollgate/tools/surfaces";
import { TURNS } from "./measure-tool.ts";
import { argumentsOf } from "./tool-arguments.ts";

const agentIds = Array.from({ length: 5 }, () => crypto.randomUUID());

/** Arguments that do not fit are refused before an operation is called. */
const REACHED = new Error("an operation was called");

describe("the arguments of the tools bench", () => {
  for (const tool of surfaces.hosted.filter(({ annotations }) => annotations.readOnlyHint)) {
    it(`are known for ${tool.name}, are taken by it, and differ where it takes any`, async () => {
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
