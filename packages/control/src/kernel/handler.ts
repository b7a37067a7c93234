import type { AnyOperation, InputOf, OutputOf } from "@tollgate/core/contract/operation";
import type { OperationId, Operations } from "@tollgate/core/contract/operations";
import type { Context, Control } from "./context.ts";

/** The code behind one operation. Authentication and authorization have happened before. */
export type Handler<O extends AnyOperation> = (context: Context, input: InputOf<O>) => Promise<OutputOf<O>>;

/** Behind an operation that anybody may call: there is no organization, and nothing about one is revealed. */
export type PublicHandler<O extends AnyOperation> = (
  control: Control,
  input: InputOf<O>,
) => Promise<OutputOf<O>>;

type Declared = Readonly<Record<string, AnyOperation>>;

/** The handlers of one feature: one for each of its operations, or it does not compile. */
export type Handlers<Of extends Declared> = { readonly [Id in keyof Of]: Handler<Of[Id]> };

export type PublicHandlers<Of extends Declared> = { readonly [Id in keyof Of]: PublicHandler<Of[Id]> };

export type PublicOperationId = {
  [Id in OperationId]: Operations[Id]["scope"] extends null ? Id : never;
}[OperationId];

export type ProtectedOperationId = Exclude<OperationId, PublicOperationId>;
