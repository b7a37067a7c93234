import { z } from "zod";
import { experimentStatuses } from "../../experiments/experiment.ts";
import { objectId } from "../fields/object-id.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { operation } from "../operation.ts";
import { experimentResource } from "./resource.ts";

export const experimentsList = operation({
  id: "experiments.list",
  method: "GET",
  path: "/api/experiments",
  summary: "Experiments and their results, newest first",
  query: z.strictObject({
    agent_id: objectId.optional(),
    status: z.enum(experimentStatuses).optional(),
    limit: pageLimit(200),
    offset: z.int().min(0).default(0),
  }),
  output: z.strictObject({ experiments: z.array(experimentResource) }),
  status: 200,
  scope: "read",
  role: "viewer",
});
