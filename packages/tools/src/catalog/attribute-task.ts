import { outcomeResource, outcomeSources, outcomeValueCents } from "@tollgate/core/contract/outcomes";
import { z } from "zod";
import { dollarsOfCents } from "../format-amounts.ts";
import { uuid } from "../parameters.ts";
import { adds, tool } from "../tool.ts";

const outcomeTypes = ["revenue", "cost_saving", "efficiency", "quality"] as const;
const { id, agent_id, event_id, outcome_type, source, value_cents, notes, created_at } =
  outcomeResource.shape;

export const attributeTask = tool({
  name: "svc_attribute_task",
  domain: "Attribution",
  title: "Attribute a task",
  description:
    "Records an outcome of an agent's work: revenue, a saving, efficiency or quality, with its value in cents, negative for a refund. Only type revenue counts as revenue; the others are reported separately. It counts in ROI and attribution from then on. Each call records another outcome: do not repeat one that succeeded. Not for costs: the gateway records those itself.",
  input: z.strictObject({
    agent_id: uuid("UUID of the agent"),
    event_id: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .meta({ description: "The call that led to it (X-Gateway-Event-ID of its response)" }),
    outcome_type: z.enum(outcomeTypes),
    outcome_source: z.enum(outcomeSources).meta({ description: "Where the outcome was reported" }),
    value_cents: outcomeValueCents.optional(),
    description: z.string().max(4096).optional().meta({ description: "What happened" }),
  }),
  output: z.strictObject({
    id,
    agent_id,
    event_id,
    outcome_type,
    outcome_source: source,
    value_cents,
    description: notes,
    created_at,
  }),
  annotations: adds,
  async run(call, input) {
    const outcome = await call("outcomes.create", {
      name: input.outcome_type,
      agent_id: input.agent_id,
      outcome_type: input.outcome_type,
      source: input.outcome_source,
      ...(input.event_id === undefined ? {} : { event_id: input.event_id }),
      ...(input.value_cents === undefined ? {} : { value_cents: input.value_cents }),
      ...(input.description === undefined ? {} : { notes: input.description }),
    });
    return {
      id: outcome.id,
      agent_id: outcome.agent_id,
      event_id: outcome.event_id,
      outcome_type: outcome.outcome_type,
      outcome_source: outcome.source,
      value_cents: outcome.value_cents,
      description: outcome.notes,
      created_at: outcome.created_at,
    };
  },
  render: outcome =>
    `Recorded outcome ${outcome.id}: ${outcome.outcome_type} from ${outcome.outcome_source}, ${outcome.value_cents === null ? "no value given" : `worth ${dollarsOfCents(outcome.value_cents)}`}, for agent ${outcome.agent_id}.`,
});
