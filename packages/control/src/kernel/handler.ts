import type { InputOf, OutputOf } from "@tollgate/core/contract/operation";
import type { OperationId, Operations } from "@tollgate/core/contract/operations";
import type { Context, Control } from "./context.ts";

type PublicOperationId = {
  [Id in OperationId]: Operations[Id]["scope"] extends null ? Id : never;
}[OperationId];

export type ProtectedOperationId = Exclude<OperationId, PublicOperationId>;

/** The code behind one operation. Authentication and authorization have happened before. */
export type Handler<Id extends ProtectedOperationId> = (
  context: Context,
  input: InputOf<Operations[Id]>,
) => Promise<OutputOf<Operations[Id]>>;

/** Behind an operation that anybody may call: there is no organization, and nothing about one is revealed. */
type PublicHandler<Id extends PublicOperationId> = (
  control: Control,
  input: InputOf<Operations[Id]>,
) => Promise<OutputOf<Operations[Id]>>;

type StrangerOperationId = {
  [Id in OperationId]: Operations[Id] extends { readonly isOpenToStrangers: true } ? Id : never;
}[OperationId];

/** The handlers of these operations; a missing one does not compile. */
export type Handlers<Of> = { readonly [Id in keyof Of & ProtectedOperationId]: Handler<Id> };

export type PublicHandlers = { readonly [Id in PublicOperationId]: PublicHandler<Id> };

/** The same operations for a caller without a credential. */
export type StrangerHandlers = {
  readonly [Id in StrangerOperationId]: (
    control: Control,
    input: InputOf<Operations[Id]>,
  ) => Promise<OutputOf<Operations[Id]>>;
};
