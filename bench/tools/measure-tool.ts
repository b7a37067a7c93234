import type { Tool } from "@tollgate/tools/tool";
import { percentile } from "../kit/percentile.ts";
import { cpuMs } from "../kit/process-stats.ts";
import { type Arguments, argumentsOf, type Subjects } from "./tool-arguments.ts";

export const TURNS = 40;
const WARM_UP = 3;

export interface ToolEndpoint {
  readonly url: string;
  readonly key: string;
  /** Of the control plane. */
  readonly pid: number;
}

export interface ToolResult {
  readonly name: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  /** CPU time of the control plane per call: excludes other work on the machine. */
  readonly cpuMsPerCall: number;
  /** The arguments of the slowest call. */
  readonly longestWith: Arguments;
  readonly largestAnswerBytes: number;
}

/** One call after the other, each with different arguments; from the request to the last byte of the answer. */
export async function measureTool(
  tool: Tool,
  endpoint: ToolEndpoint,
  subjects: Subjects,
): Promise<ToolResult | null> {
  const argumentsFor = argumentsOf(tool);
  if (argumentsFor === null) return null;
  const calls: { readonly ms: number; readonly args: Arguments; readonly bytes: number }[] = [];
  let cpuBefore = 0;
  for (let turn = 0; turn < TURNS + WARM_UP; turn++) {
    if (turn === WARM_UP) cpuBefore = cpuMs([endpoint.pid]);
    const args = argumentsFor(turn, subjects);
    const started = performance.now();
    const text = await callTool(endpoint, tool.name, args);
    const ms = performance.now() - started;
    if (turn >= WARM_UP) calls.push({ ms, args, bytes: text.length });
    requireAnswer(tool.name, args, text);
  }
  const cpuMsPerCall = (cpuMs([endpoint.pid]) - cpuBefore) / TURNS;
  calls.sort((a, b) => a.ms - b.ms);
  const times = calls.map(({ ms }) => ms);
  const longest = calls.at(-1);
  return {
    name: tool.name,
    p50Ms: percentile(times, 0.5) ?? Number.NaN,
    p95Ms: percentile(times, 0.95) ?? Number.NaN,
    longestMs: longest?.ms ?? Number.NaN,
    cpuMsPerCall,
    longestWith: longest?.args ?? {},
    largestAnswerBytes: Math.max(...calls.map(({ bytes }) => bytes)),
  };
}

async function callTool({ url, key }: ToolEndpoint, name: string, args: Arguments): Promise<string> {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${text.slice(0, 300)}`);
  return text;
}

/** A refusal is fast, and would look good in the table. */
function requireAnswer(name: string, args: Arguments, text: string): void {
  const data = text.startsWith("{") ? text : (/^data: ?(.*)$/m.exec(text)?.[1] ?? "null");
  const answer: unknown = JSON.parse(data);
  const result = answer !== null && typeof answer === "object" && "result" in answer ? answer.result : null;
  const isAnswered =
    result !== null &&
    typeof result === "object" &&
    "structuredContent" in result &&
    !("isError" in result && result.isError === true);
  if (!isAnswered) throw new Error(`${name} with ${JSON.stringify(args)}: ${data.slice(0, 300)}`);
}
