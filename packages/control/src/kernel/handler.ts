import type { AnyOperation, InputOf, OutputOf } from "@tollgate/core/contract/operation";
import type { OperationId, Operations } from "@tollgate/core/contract/operations";
import type { Context, Control } from "./context.ts";

/** The code behind one operation. Who calls, and whether they may, has been settled before. */
export type Handler<O extends AnyOperation> = (context: Context, input: InputOf<O>) => Promise<OutputOf<O>>;

/** Behind an operation that anybody may call: there is no organization, and nothing of one is told. */
export type PublicHandler<O extends AnyOperation> = (
  control: Control,
  input: InputOf<O>,
) => Promise<OutputOf<O>>;

export type PublicOperationId = {
  [Id in OperationId]: Operations[Id]["scope"] extends null ? Id : never;
}[OperationId];

export type ProtectedOperationId = Exclude<OperationId, PublicOperationId>;
