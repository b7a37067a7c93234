import type { webhookOperations } from "@tollgate/core/contract/webhooks";
import type { Handlers } from "../kernel/handler.ts";
import { webhooksDelete } from "./delete.ts";
import { webhooksDeliveriesGet } from "./deliveries-get.ts";
import { webhooksDeliveriesList } from "./deliveries-list.ts";
import { webhooksDeliveriesReplay } from "./deliveries-replay.ts";
import { webhooksGet } from "./get.ts";
import { webhooksList } from "./list.ts";
import { webhooksRegister } from "./register.ts";
import { webhooksReplay } from "./replay.ts";
import { webhooksRotateSecret } from "./rotate-secret.ts";
import { webhooksTest } from "./send-test.ts";
import { webhooksUpdate } from "./update.ts";

export const webhookHandlers: Handlers<typeof webhookOperations> = {
  "webhooks.delete": webhooksDelete,
  "webhooks.list": webhooksList,
  "webhooks.register": webhooksRegister,
  "webhooks.deliveries.get": webhooksDeliveriesGet,
  "webhooks.deliveries.list": webhooksDeliveriesList,
  "webhooks.deliveries.replay": webhooksDeliveriesReplay,
  "webhooks.get": webhooksGet,
  "webhooks.replay": webhooksReplay,
  "webhooks.rotate_secret": webhooksRotateSecret,
  "webhooks.test": webhooksTest,
  "webhooks.update": webhooksUpdate,
};
