import { z } from "zod";
import { nextCursor } from "../fields/cursor.ts";
import { operation } from "../operation.ts";
import { customerResource } from "./customer-resource.ts";
import { subjectPageQuery } from "./page-query.ts";

export const customersList = operation({
  id: "customers.list",
  method: "GET",
  path: "/api/customers",
  summary: "Customers that were active within the window, latest activity first",
  query: subjectPageQuery,
  output: z.strictObject({ customers: z.array(customerResource), next_cursor: nextCursor }),
  status: 200,
  scope: "read",
  role: "viewer",
});
