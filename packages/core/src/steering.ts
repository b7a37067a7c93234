import type { ProviderId } from "./provider-id.ts";

/**
 * Chooses the model of a call if its agent has rules: an experiment's arm first, otherwise the model that the agent was
 * switched to, otherwise the requested one. Whether the treatment can serve a call is checked before the arm is drawn,
 * for both arms. If only calls drawn for the treatment were checked, the two arms would have different calls, and their
 * difference would mean nothing.
 */

export const arms = ["control", "treatment"] as const;
export type Arm = (typeof arms)[number];

/** A running experiment, subject to its end time. */
export interface Split {
  readonly experimentId: string;
  readonly treatmentModel: string;
  /** Integer percentage of the calls. */
  readonly trafficPct: number;
  /** Epoch milliseconds. */
  readonly endsAtMs: number;
}

/** The rules for one agent's calls. */
export interface AgentRules {
  readonly split: Split | null;
  /** From a `model_switch`. */
  readonly model: string | null;
  /** From `token_guardrails`: the maximum length of an answer. */
  readonly maxOutputTokens: number | null;
  /** From `prompt_caching`. */
  readonly cachesPrompt: boolean;
}

export interface Target {
  readonly provider: ProviderId;
  /** The bare name, without a provider prefix. */
  readonly model: string;
}

interface SteeredCall {
  readonly id: string;
  readonly sessionId: string | null;
  readonly asked: Target;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

export interface Assignment {
  readonly experimentId: string;
  readonly arm: Arm;
}

interface Decision {
  readonly target: Target;
  /** null: the call is in no experiment. */
  readonly assignment: Assignment | null;
  /** The agent was switched to a model that cannot serve this call, so the requested one is used. */
  readonly isSwitchSkipped: boolean;
}

/** `reach` returns where a model is served, or null if this call cannot go there. */
export function decideModel(
  rules: AgentRules,
  call: SteeredCall,
  reach: (model: string) => Target | null,
): Decision {
  const { split } = rules;
  const otherwise = withoutSplit(rules, call, reach);
  if (split === null || call.atMs >= split.endsAtMs) return otherwise;
  const treatment = reach(split.treatmentModel);
  if (treatment === null || isSame(treatment, otherwise.target)) return otherwise;
  const arm = armOf(split, call.sessionId ?? call.id);
  const assignment: Assignment = { experimentId: split.experimentId, arm };
  if (arm === "treatment") return { target: treatment, assignment, isSwitchSkipped: false };
  return { ...otherwise, assignment };
}

/** A call that goes to the treatment's model anyway has nothing to be compared with. */
function isSame(a: Target, b: Target): boolean {
  return a.provider === b.provider && a.model === b.model;
}

function withoutSplit(
  rules: AgentRules,
  call: SteeredCall,
  reach: (model: string) => Target | null,
): Decision {
  const switched = rules.model === null ? call.asked : reach(rules.model);
  return { target: switched ?? call.asked, assignment: null, isSwitchSkipped: switched === null };
}

const BUCKETS = 10_000;

/** A subject keeps its arm within an experiment; another experiment shuffles it again. */
export function armOf(split: Pick<Split, "experimentId" | "trafficPct">, subject: string): Arm {
  return isDrawn(split.experimentId, split.trafficPct, subject) ? "treatment" : "control";
}

/**
 * Whether a draw selects a subject: always the same, on every machine and after every restart. Increasing the share keeps
 * every subject that was selected.
 */
export function isDrawn(drawId: string, sharePct: number, subject: string): boolean {
  return hash(`${drawId}\n${subject}`) % BUCKETS < sharePct * (BUCKETS / 100);
}

/** FNV-1a, then murmur's finalizer: FNV alone maps ids that differ in the last character to adjacent hashes. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
