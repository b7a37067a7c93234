import { configVersionsList } from "./config-versions-list.ts";
import { customersGet } from "./customers-get.ts";
import { customersList } from "./customers-list.ts";
import { sessionsGet } from "./sessions-get.ts";
import { sessionsList } from "./sessions-list.ts";

export const subjectOperations = {
  "sessions.get": sessionsGet,
  "sessions.list": sessionsList,
  "customers.get": customersGet,
  "customers.list": customersList,
  "config_versions.list": configVersionsList,
} as const;
