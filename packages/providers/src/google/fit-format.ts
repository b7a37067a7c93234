import { answerTool, answerToolName } from "../answer-tool.ts";
import type { CanonicalRequest } from "../canonical/request.ts";
import { JSON_INSTRUCTION } from "../json-instruction.ts";
import type { ModelFamily } from "./model-traits.ts";

/**
 * Gemini before 3 rejects tools together with a response format. There, a schema becomes a tool that gives the answer,
 * and JSON without a schema an instruction.
 */
export function fitFormat(request: CanonicalRequest, { release }: ModelFamily): CanonicalRequest {
  const { outputFormat, ...rest } = request;
  const { tools = [], turns, toolChoice } = rest;
  if (outputFormat === undefined || tools.length === 0 || release >= 300) return request;
  // If the caller itself forces a call, this turn does not give the structured answer.
  if (toolChoice?.mode === "required" || toolChoice?.mode === "tool") return rest;
  if (outputFormat.kind === "json") {
    const parts = [{ kind: "text", text: JSON_INSTRUCTION }] as const;
    const start = turns.findIndex(turn => turn.role !== "system");
    return {
      ...rest,
      turns: turns.toSpliced(start === -1 ? turns.length : start, 0, { role: "system", parts }),
    };
  }
  return {
    ...rest,
    tools: [...tools, answerTool(outputFormat.schema)],
    toolChoice: toolChoice?.mode === "none" ? { mode: "tool", name: answerToolName } : { mode: "required" },
  };
}
