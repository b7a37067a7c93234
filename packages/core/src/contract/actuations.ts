import { z } from "zod";
import {
  acknowledgements,
  actionClasses,
  actuationChanges,
  actuationTypes,
  authorities,
  breakerStates,
  rollbackReasons,
} from "../decisions/vocabulary.ts";
import { envelope } from "./fields/envelope.ts";
import { isoTime } from "./fields/iso-time.ts";
import { pageLimit } from "./fields/paging.ts";
import { declareOperations, readAccess } from "./operation.ts";

export const actuationResource = z
  .strictObject({
    id: z.string(),
    agent_id: z
      .string()
      .nullable()
      .meta({ description: "Null: the whole organization, or the budget of a key or a customer" }),
    action_type: z.enum(actuationTypes),
    action_class: z.enum(actionClasses),
    change: z.enum(actuationChanges),
    subject_id: z.string().meta({ description: "The optimization, budget, experiment or agent" }),
    authority: z.enum(authorities).meta({
      description:
        "operator: a signed-in member; experiment: it promoted its winner or reached its end; threshold: an alert threshold; breaker: a model switch made calls worse",
    }),
    actor: z.string(),
    timing: z.strictObject({
      asked_at: isoTime,
      applied_at: isoTime.meta({ description: "The gateway obeys within a second" }),
      first_obeyed_at: isoTime.nullable().meta({
        description:
          "The first call that is known to have obeyed. Null: none within seven days; always null for pausing an agent, because refused calls leave no event",
      }),
    }),
    rollback: z.strictObject({
      state: z.enum(["none", "rolled_back"]),
      reason: z.enum(rollbackReasons).nullable(),
      by: z.string().nullable(),
      at: isoTime.nullable(),
    }),
    breaker: z
      .strictObject({
        state: z.enum(breakerStates).meta({
          description:
            "watching: a significant worsening undoes the switch; off: turned off for this agent; tripped: it undid the switch, for the reason of the rollback; over: no longer watched",
        }),
        until: isoTime.nullable().meta({ description: "While watching: when that ends" }),
      })
      .nullable()
      .meta({ description: "Null: only model switches are watched" }),
    acknowledgement: z.strictObject({
      state: z
        .enum(acknowledgements)
        .meta({ description: "Only actuations of the breaker have to be acknowledged" }),
      by: z.string().nullable(),
      at: isoTime.nullable(),
    }),
  })
  .meta({
    id: "Actuation",
    description: "A change that the gateway obeys, without the configuration itself",
  });

export const actuationOperations = declareOperations({
  "loop_views.actuations": {
    method: "GET",
    path: "/api/loop-views/actuations",
    summary: "Changes that the gateway obeys, newest first; 404 while `optimization_model_v3` is off",
    query: z.strictObject({ limit: pageLimit(500, 200) }),
    output: z.strictObject({ total: envelope, actuations: z.array(actuationResource) }),
    ...readAccess,
  },
});
