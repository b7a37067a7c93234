import type { alertOperations } from "@tollgate/core/contract/alerts";
import type { Handlers } from "../kernel/handler.ts";
import { alertsAcknowledge } from "./acknowledge.ts";
import { alertsList } from "./list.ts";
import { alertsTest } from "./send-test.ts";

export const alertHandlers: Handlers<typeof alertOperations> = {
  "alerts.acknowledge": alertsAcknowledge,
  "alerts.list": alertsList,
  "alerts.test": alertsTest,
};
