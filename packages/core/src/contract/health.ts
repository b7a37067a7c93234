import { z } from "zod";
import { isoTime } from "./fields/iso-time.ts";
import { declareOperations } from "./operation.ts";

const serviceStates = ["ok", "degraded", "down"] as const;
const serviceState = z.enum(serviceStates);

export const healthOperations = declareOperations({
  "health.get": {
    method: "GET",
    path: "/api/health",
    summary: "Health of the control plane",
    output: z.strictObject({
      status: serviceState,
      timestamp: isoTime,
      version: z.string(),
      uptime: z.int().meta({ description: "Seconds" }),
      services: z.strictObject({
        database: serviceState,
        cache: z.enum([...serviceStates, "disabled"]).meta({
          description: "`disabled`: SVC_REDIS_URL is not set",
        }),
      }),
    }),
    scope: null,
    role: "viewer",
  },
});
