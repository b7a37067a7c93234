import type { Call } from "../call.ts";
import type { AnswerPlan } from "../plan-answer.ts";

/** The fields that every chunk and the whole answer have in common. */
export interface ChatFrame {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly serviceTier: string;
  readonly systemFingerprint: string | null;
}

export function chatFinishReason(plan: AnswerPlan): string {
  switch (plan.finish) {
    case "stop":
    case "stop_sequence":
    case "refusal":
      return "stop";
    case "length":
    case "tool_calls":
      return plan.finish;
  }
}

export function chatCallId(call: Call, choice: number, at: number): string {
  return `call_${call.ids.alphanumeric(`call ${choice} ${at}`, 24)}`;
}
