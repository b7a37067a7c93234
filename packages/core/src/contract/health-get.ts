import { z } from "zod";
import { isoTime } from "./iso-time.ts";
import { operation } from "./operation.ts";

const serviceState = z.enum(["ok", "degraded", "down"]);

export const healthGet = operation({
  id: "health.get",
  method: "GET",
  path: "/api/health",
  summary: "Whether the control plane works",
  output: z.strictObject({
    status: serviceState,
    timestamp: isoTime,
    version: z.string(),
    uptime: z.int().meta({ description: "Seconds" }),
    services: z.strictObject({ database: serviceState, cache: serviceState }),
  }),
  status: 200,
  scope: null,
  role: "viewer",
});
