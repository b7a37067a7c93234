import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const alertsThresholdsDelete = operation({
  id: "alerts.thresholds.delete",
  method: "DELETE",
  path: "/api/alerts/thresholds/:id",
  summary: "Remove a threshold rule; what it has paused stays so",
  params: idParams,
  status: 204,
  scope: "write",
  role: "admin",
});
