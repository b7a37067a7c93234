import type { webhooksGet as operation } from "@tollgate/core/contract/webhooks/get";
import type { Handler } from "../kernel/handler.ts";
import { findWebhook } from "./find-webhook.ts";
import { toWebhook } from "./to-webhook.ts";

export const webhooksGet: Handler<typeof operation> = async (context, { id }) =>
  toWebhook(await findWebhook(context, id), context.now());
