import type { AnyOperation } from "@tollgate/core/contract/operation";
import { parseInput } from "@tollgate/core/contract/parse-input";
import type { InputParts } from "@tollgate/core/contract/split-input";
import { fail } from "@tollgate/core/errors";
import { type AuditedWork, AuditTrail } from "@tollgate/storage/config/audit-trail";
import { auditedDb } from "@tollgate/storage/config/audited-db";
import type { Context, Control, Principal } from "../../kernel/context.ts";
import { handlers, publicHandlers, strangerHandlers } from "./handlers.ts";
import { mayCall } from "./may-call.ts";

/** `never` is safe as the input's type: each handler is only given input that its own operation has parsed. */
const handlersById: Readonly<Record<string, (context: Context, input: never) => Promise<unknown>>> = {
  ...handlers,
  ...publicHandlers,
};

export type RunOperation = (
  control: Control,
  principal: Principal,
  /** Called only after the permission check. */
  readInput: () => InputParts,
) => Promise<unknown>;

/**
 * Runs an operation for a principal, over HTTP or as a tool: permission, tier, input, handler, in this order. Every
 * operation but a GET leaves an entry in the audit log, in the transaction of what it changes.
 */
export function operationRunner(operation: AnyOperation): RunOperation {
  const handler = handlersById[operation.id];
  if (handler === undefined) throw new Error(`no handler for ${operation.id}`);
  return async (control, principal, readInput) => {
    mayCall(operation, principal, control.publicUrl);
    refuseLostDatabase(operation, control);
    const input = parseInput(operation, readInput());
    if (operation.method === "GET") return await handler({ ...control, ...principal }, input as never);
    const trail = new AuditTrail(auditedWork(operation, principal, input), control);
    const db = auditedDb(control.db, trail);
    const output = await handler({ ...control, ...principal, db }, input as never);
    await trail.finish(control.db);
    return output;
  };
}

function auditedWork(
  operation: AnyOperation,
  { actor, scope, origin }: Principal,
  input: Readonly<Record<string, unknown>>,
): AuditedWork {
  const named = Object.keys(operation.params?.shape ?? {}).at(-1);
  const id = named === undefined || operation.hasSecretPath ? null : input[named];
  return {
    operation: operation.id,
    scope: operation.changesAnotherOrganization ? null : scope,
    objectId: typeof id === "string" ? id : null,
    actorKind: actor.kind,
    actor: actor.kind === "member" ? actor.email : actor.keyId,
    sessionId: actor.kind === "member" ? actor.sessionId : null,
    ip: origin?.ip ?? null,
    client: origin?.client ?? null,
  };
}

const strangerHandlersById: Readonly<Record<string, (control: Control, input: never) => Promise<unknown>>> =
  strangerHandlers;

export type RunForStranger = (readInput: () => InputParts) => Promise<unknown>;

/** The same for a caller without a credential; null: this operation needs one. */
export function strangerRunner(operation: AnyOperation, control: Control): RunForStranger | null {
  const handler = strangerHandlersById[operation.id];
  if (handler === undefined || !control.checkout.isOpenToStrangers) return null;
  return async readInput => {
    refuseLostDatabase(operation, control);
    return await handler(control, parseInput(operation, readInput()) as never);
  };
}

function refuseLostDatabase(operation: AnyOperation, { files }: Control): void {
  if (operation.method === "GET" || !files.database?.isLost) return;
  throw fail("storage_unavailable", "the database file was removed or replaced: nothing can be changed");
}
