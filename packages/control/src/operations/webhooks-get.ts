import type { webhooksGet as operation } from "@tollgate/core/contract/webhooks/get";
import { findWebhook } from "./find-webhook.ts";
import type { Handler } from "./handler.ts";
import { toWebhook } from "./to-webhook.ts";

export const webhooksGet: Handler<typeof operation> = async (context, { id }) =>
  toWebhook(await findWebhook(context, id), context.now());
