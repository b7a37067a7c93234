import type { Handler } from "../kernel/handler.ts";
import { findWebhook } from "./find-webhook.ts";
import { toWebhook } from "./to-webhook.ts";

export const webhooksGet: Handler<"webhooks.get"> = async (context, { id }) =>
  toWebhook(await findWebhook(context, id), context.now());
