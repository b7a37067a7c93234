import { textOf } from "../json-object.ts";
import { type Effort, isEffort } from "../prompt.ts";

export function isReasoningModel(model: string): boolean {
  return /^o\d/.test(model) || (/^gpt-[5-9]/.test(model) && !/^gpt-5-chat/.test(model));
}

/** From gpt-5.1 on, sampling is allowed with reasoning disabled. */
export function canSwitchReasoningOff(model: string): boolean {
  const version = gptVersion(model);
  return version !== null && version > 5 && !alwaysReasons(model);
}

/** Such models accept tools only in the Responses API. */
export function alwaysReasons(model: string): boolean {
  return /^gpt-6(-astra|\.1-sol)/.test(model);
}

/** From gpt-5.6 on, cache writes are reported and billed. */
export function reportsCacheWrites(model: string): boolean {
  const version = gptVersion(model);
  return version !== null && version >= 5.6;
}

function gptVersion(model: string): number | null {
  const match = /^gpt-(\d+(?:\.\d+)?)/.exec(model);
  return match ? Number(match[1]) : null;
}

export function reasoningEffort(model: string, asked: unknown): Effort | null {
  if (!isReasoningModel(model) || textOf(asked) === "none") return null;
  return isEffort(asked) ? asked : "medium";
}
