import { z } from "zod";
import { agentStatuses } from "../../agents/status.ts";
import { cursorInput, nextCursor } from "../fields/cursor.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { operation } from "../operation.ts";
import { agentResource } from "./resource.ts";

export const agentsList = operation({
  id: "agents.list",
  method: "GET",
  path: "/api/agents",
  summary: "Agents, by their key",
  query: z.strictObject({
    status: z.enum(agentStatuses).optional(),
    category: z.string().min(1).max(256).optional(),
    limit: pageLimit(500, 200),
    cursor: cursorInput.optional(),
  }),
  output: z.strictObject({
    agents: z.array(agentResource).meta({ description: "A page with much metadata has fewer than `limit`" }),
    total: z.int().meta({ description: "All that match, shown or not" }),
    next_cursor: nextCursor,
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
