import { operation } from "../operation.ts";
import { organizationResource } from "./resource.ts";

export const organizationGet = operation({
  id: "organization.get",
  method: "GET",
  path: "/api/organization",
  summary: "The organization, its tier and what that includes",
  output: organizationResource,
  status: 200,
  scope: "read",
  role: "viewer",
});
