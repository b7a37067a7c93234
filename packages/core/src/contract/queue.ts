import { z } from "zod";
import { envelope } from "./fields/envelope.ts";
import { isoTime } from "./fields/iso-time.ts";
import { idParams } from "./fields/object-id.ts";
import { declareOperations, readAccess, writeAccess } from "./operation.ts";

const queueKinds = ["verdict", "blocked_proposal", "breaker_event", "expiring_evidence"] as const;
const queueActions = ["approve", "snooze", "acknowledge"] as const;

export const queueItem = z
  .strictObject({
    id: z.string(),
    kind: z.enum(queueKinds),
    agent_id: z.string().nullable(),
    subject_id: z.string().meta({ description: "The verdict, proposal or actuation" }),
    reason: z.string().meta({ description: "The verdict, what blocks the proposal, or why it was undone" }),
    next_step: z.string(),
    since: isoTime,
    due_at: isoTime.nullable().meta({ description: "When the evidence expires" }),
    actions: z.array(z.enum(queueActions)).meta({ description: "For signed-in admins and owners only" }),
  })
  .meta({ id: "QueueItem" });

const decided = z.strictObject({ id: z.string(), message: z.string() });

export const queueOperations = declareOperations({
  "loop_views.queue": {
    method: "GET",
    path: "/api/loop-views/queue",
    summary: "Items that wait for a person's decision, oldest first; needs `optimization_model_v3`",
    output: z.strictObject({ total: envelope, items: z.array(queueItem) }),
    ...readAccess,
  },
  "queue.approve": {
    method: "POST",
    path: "/api/queue/:id/approve",
    summary: "Let the gateway make the model switch that a verdict supports",
    params: idParams,
    body: z.strictObject({
      agent_id: z
        .uuid()
        .optional()
        .meta({ description: "The agent to switch; required if the verdict is about all agents" }),
    }),
    output: decided,
    ...writeAccess,
    isForPeople: true,
  },
  "queue.snooze": {
    method: "POST",
    path: "/api/queue/:id/snooze",
    summary: "Hide an item from the queue until a given time, at most 90 days ahead",
    params: idParams,
    body: z.strictObject({ until: z.iso.datetime({ offset: true }) }),
    output: decided,
    ...writeAccess,
    isForPeople: true,
  },
  "queue.acknowledge": {
    method: "POST",
    path: "/api/queue/:id/acknowledge",
    summary: "Remove an item from the queue without making a change; dismisses a blocked proposal",
    params: idParams,
    output: decided,
    ...writeAccess,
    isForPeople: true,
  },
});
