import type { organizationOperations } from "@tollgate/core/contract/organization";
import type { Handlers } from "../kernel/handler.ts";
import { organizationGet } from "./get.ts";
import { organizationUpdate } from "./update.ts";

export const organizationHandlers: Handlers<typeof organizationOperations> = {
  "organization.get": organizationGet,
  "organization.update": organizationUpdate,
};
