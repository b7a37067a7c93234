import { z } from "zod";
import { customerResource } from "./customer-resource.ts";
import { idParams } from "./object-id.ts";
import { operation } from "./operation.ts";
import { periodResource } from "./period-resource.ts";
import { unpricedCalls } from "./unpriced-calls.ts";
import { windowQuery } from "./window-query.ts";

export const customersGet = operation({
  id: "customers.get",
  method: "GET",
  path: "/api/customers/:id",
  summary: "One customer, its cost and its days",
  params: idParams,
  query: z.strictObject(windowQuery),
  output: z.strictObject({
    ...customerResource.shape,
    period: periodResource,
    by_day: z.array(
      z.strictObject({
        date: z.string(),
        call_count: z.int(),
        cost_microcents: z.int(),
        unpriced_calls: unpricedCalls,
      }),
    ),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
