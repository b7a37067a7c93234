import { z } from "zod";
import { agentStatuses } from "../../agents/status.ts";
import { isoTime } from "../fields/iso-time.ts";
import { anyJsonObject } from "../fields/json-object.ts";

export const agentResource = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    agent_key: z.string().meta({ description: "What calls name the agent by (`X-Agent-ID`)" }),
    organization_id: z.string(),
    created_at: isoTime,
    updated_at: isoTime,
    metadata: anyJsonObject,
    status: z.enum(agentStatuses),
    paused: z.boolean().meta({ description: "The gateway refuses its calls until it is resumed" }),
    category: z.string().nullable().meta({ description: "`metadata.category`" }),
    last_call_at: isoTime.nullable(),
  })
  .meta({ id: "Agent" });
