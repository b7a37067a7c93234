import { z } from "zod";
import { eventStatuses } from "./event-resource.ts";
import { isoTimeInput } from "./iso-time.ts";
import { objectId } from "./object-id.ts";

export const eventFilterQuery = {
  agent_id: objectId.optional(),
  agent_key: objectId.optional(),
  session_id: z.string().min(1).max(1024).optional(),
  customer_id: z.string().min(1).max(1024).optional(),
  model: z.string().min(1).max(256).optional(),
  status: z.enum(eventStatuses).optional(),
  config_version: z.string().min(1).max(4096).optional().meta({ description: "Compared exactly" }),
  from: isoTimeInput.optional(),
  to: isoTimeInput.optional().meta({ description: "ISO 8601, excluded" }),
};
