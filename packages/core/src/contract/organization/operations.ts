import { organizationGet } from "./get.ts";
import { organizationUpdate } from "./update.ts";

export const organizationOperations = {
  "organization.get": organizationGet,
  "organization.update": organizationUpdate,
} as const;
