import { z } from "zod";
import { costSums } from "../fields/cost-sums.ts";
import { callerIdParams } from "../fields/object-id.ts";
import { periodResource } from "../fields/period-resource.ts";
import { windowQuery } from "../fields/window-query.ts";
import { operation } from "../operation.ts";
import { customerResource } from "./customer-resource.ts";

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
