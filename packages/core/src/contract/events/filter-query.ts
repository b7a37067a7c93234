import { z } from "zod";
import { eventStatuses } from "../../event.ts";
import { isoTimeInput } from "../fields/iso-time.ts";
import { callerId, objectId } from "../fields/object-id.ts";

export const eventFilterQuery = {
  agent_id: objectId.optional(),
  agent_key: callerId.optional(),
  session_id: callerId.optional(),
  customer_id: callerId.optional(),
  model: z.string().min(1).max(256).optional(),
  status: z.enum(eventStatuses).optional(),
  config_version: z.string().min(1).max(4096).optional().meta({ description: "Compared exactly" }),
  from: isoTimeInput.optional(),
  to: isoTimeInput.optional().meta({ description: "ISO 8601, excluded" }),
};
