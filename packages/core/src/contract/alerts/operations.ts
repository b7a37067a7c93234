import { alertsAcknowledge } from "./acknowledge.ts";
import { alertsList } from "./list.ts";
import { alertsTest } from "./send-test.ts";

export const alertOperations = {
  "alerts.acknowledge": alertsAcknowledge,
  "alerts.list": alertsList,
  "alerts.test": alertsTest,
} as const;
