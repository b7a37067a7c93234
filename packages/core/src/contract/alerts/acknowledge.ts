import { z } from "zod";
import { objectId } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const alertsAcknowledge = operation({
  id: "alerts.acknowledge",
  method: "PATCH",
  path: "/api/alerts",
  summary: "Mark alerts as read; if one of them does not exist, none is",
  body: z.strictObject({
    action: z.literal("acknowledge"),
    alert_ids: z.array(objectId).min(1).max(200),
  }),
  output: z.strictObject({ acknowledged: z.int() }),
  status: 200,
  scope: "write",
  role: "admin",
});
