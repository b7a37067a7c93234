import { z } from "zod";
import { costSums } from "./cost-sums.ts";
import { customerResource } from "./customer-resource.ts";
import { callerIdParams } from "./object-id.ts";
import { operation } from "./operation.ts";
import { periodResource } from "./period-resource.ts";
import { windowQuery } from "./window-query.ts";

export const customersGet = operation({
  id: "customers.get",
  method: "GET",
  path: "/api/customers/:id",
  summary: "One customer, its cost and its days",
  params: callerIdParams,
  query: z.strictObject(windowQuery),
  output: z.strictObject({
    ...customerResource.shape,
    period: periodResource,
    by_day: z.array(
      z.strictObject({
        date: z.string(),
        ...costSums,
      }),
    ),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
