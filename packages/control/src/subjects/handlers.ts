import type { subjectOperations } from "@tollgate/core/contract/subjects";
import type { Handlers } from "../kernel/handler.ts";
import { configVersionsList } from "./config-versions-list.ts";
import { customersGet } from "./customers-get.ts";
import { customersList } from "./customers-list.ts";
import { sessionsGet } from "./sessions-get.ts";
import { sessionsList } from "./sessions-list.ts";

export const subjectHandlers: Handlers<typeof subjectOperations> = {
  "sessions.get": sessionsGet,
  "sessions.list": sessionsList,
  "customers.get": customersGet,
  "customers.list": customersList,
  "config_versions.list": configVersionsList,
};
