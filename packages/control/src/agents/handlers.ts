import type { agentOperations } from "@tollgate/core/contract/agents";
import type { Handlers } from "../kernel/handler.ts";
import { agentsGet } from "./get.ts";
import { agentsList } from "./list.ts";
import { agentsMetrics } from "./metrics.ts";
import { agentsResume } from "./resume.ts";
import { agentsRoute } from "./route.ts";
import { agentsUpdate } from "./update.ts";

export const agentHandlers: Handlers<typeof agentOperations> = {
  "agents.get": agentsGet,
  "agents.list": agentsList,
  "agents.metrics": agentsMetrics,
  "agents.resume": agentsResume,
  "agents.route": agentsRoute,
  "agents.update": agentsUpdate,
};
