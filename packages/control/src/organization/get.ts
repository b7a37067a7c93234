import type { Handler } from "../kernel/handler.ts";
import { shownOrganization } from "./to-organization.ts";

export const organizationGet: Handler<"organization.get"> = shownOrganization;
