import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import type { Arm } from "@tollgate/core/steering";
import { seeded } from "../simulations/simulated-fleet.ts";
import { eventually } from "../waiting/eventually.ts";
import type { ControlLab } from "./control-lab.ts";

export const AGENT = "writer";

export type LabOrganization = Awaited<ReturnType<ControlLab["organization"]>>;
export type NewExperiment = Parameters<typeof begin>[1];

/** An agent with calls, and an experiment on it. */
export async function begin(
  organization: LabOrganization,
  change: {
    readonly traffic_pct?: number;
    readonly primary_metric?:
      | "cost_per_call"
      | "latency_p50"
      | "latency_p95"
      | "error_rate"
      | "quality_score";
    readonly max_duration_days?: number;
    readonly auto_promote?: boolean;
  } = {},
) {
  await organization.addEvents({ agent_key: AGENT });
  return await organization.client.call("experiments.create", {
    agent_id: organization.agentId(AGENT),
    name: "a cheaper model",
    treatment_model: "gpt-4.1-nano",
    traffic_pct: 50,
    ...change,
  });
}

export interface Traffic {
  readonly calls: number;
  /** Factor that the treatment applies to cost and latency; 1: none. */
  readonly factor?: number;
  readonly controlErrors?: number;
  readonly treatmentErrors?: number;
  /** Calls per session. */
  readonly sessionCalls?: number;
  readonly seed?: number;
}

/** Calls as the gateway would have split them. */
export function callsOf(experimentId: string, traffic: Traffic): Partial<Event>[] {
  const random = seeded(traffic.seed ?? 1);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const sessionCalls = traffic.sessionCalls ?? 1;
  let arm: Arm = "control";
  return Array.from({ length: traffic.calls }, (_, call) => {
    if (call % sessionCalls === 0) arm = random() < 0.5 ? "treatment" : "control";
    const factor = arm === "treatment" ? (traffic.factor ?? 1) : 1;
    const errors = (arm === "treatment" ? traffic.treatmentErrors : traffic.controlErrors) ?? 0;
    return {
      agent_key: AGENT,
      experiment_id: experimentId,
      arm,
      model: arm === "treatment" ? "gpt-4.1-nano" : "gpt-4o-mini",
      session_id: sessionCalls === 1 ? null : `session-${Math.floor(call / sessionCalls)}`,
      cost_microcents: microcents(Math.round(20_000 * factor * Math.exp(0.6 * normal()))),
      latency_ms: Math.round(800 * factor * Math.exp(0.4 * normal())),
      status: random() < errors ? "error" : "success",
    };
  });
}

/** Waits until the experiment has counted this many calls. */
export async function counted(organization: LabOrganization, id: string, calls: number) {
  await eventually(`${calls} calls are counted`, async () => {
    const { control_samples, treatment_samples } = await organization.client.call("experiments.get", { id });
    return control_samples + treatment_samples === calls;
  });
  return await organization.client.call("experiments.get", { id });
}

export async function switches(lab: ControlLab, organization: LabOrganization) {
  return await lab.db
    .selectFrom("optimizations")
    .select(["optimization_type", "payload", "source", "applied_by", "undone_at"])
    .where("org_id", "=", organization.id)
    .orderBy("applied_at")
    .orderBy("id")
    .execute();
}
