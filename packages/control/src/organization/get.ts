import type { organizationGet as contract } from "@tollgate/core/contract/organization/operations";
import type { Handler } from "../kernel/handler.ts";
import { shownOrganization } from "./to-organization.ts";

export const organizationGet: Handler<typeof contract> = shownOrganization;
