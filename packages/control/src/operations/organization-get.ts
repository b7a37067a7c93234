import type { organizationGet as contract } from "@tollgate/core/contract/organization/get";
import type { Handler } from "./handler.ts";
import { shownOrganization } from "./organization-shown.ts";

export const organizationGet: Handler<typeof contract> = shownOrganization;
