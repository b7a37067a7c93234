import type { OutputOf, RequestOf } from "@tollgate/core/contract/operation";
import { type Operations, operations } from "@tollgate/core/contract/operations";
import { parseInput } from "@tollgate/core/contract/parse-input";
import { splitInput } from "@tollgate/core/contract/split-input";
import type { Context } from "../context.ts";
import type { ProtectedOperationId } from "./handler.ts";
import { handlers } from "./handlers.ts";
import { mayCall } from "./may-call.ts";

/** Calls an operation in this process, with the checks that the web has: scope, role, tier, input. */
export async function invoke<Id extends ProtectedOperationId>(
  context: Context,
  id: Id,
  request: RequestOf<Operations[Id]>,
): Promise<OutputOf<Operations[Id]>> {
  const operation = operations[id];
  mayCall(operation, context, context.publicUrl);
  const input = parseInput(operation, splitInput(operation, request));
  const handler: (context: Context, input: never) => Promise<unknown> = handlers[id];
  // `parseInput` has made exactly what this operation's handler takes; the registry pairs the two.
  return (await handler(context, input as never)) as OutputOf<Operations[Id]>;
}
