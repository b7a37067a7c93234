import type { z } from "zod";
import type { Tier } from "../tiers.ts";

/** Where a value of the input comes from: the path, the query or the JSON body. All are strict objects. */
type Shape = z.ZodObject;

/**
 * One operation of the web API, said once: the router, the validation, OpenAPI, the typed client and the docs are
 * made from it. Unknown fields are refused everywhere.
 */
export interface Operation<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Output extends z.ZodType = z.ZodType,
> {
  /** "budgets.create": the client's method, and the handler's name. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** "/api/budgets/:id" */
  readonly path: `/api/${string}`;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Of the answer; absent where there is none (204), or where it is a file (`produces`). */
  readonly output?: Output;
  readonly status: 200 | 201 | 204;
  /** An answer that is not JSON: its content type. */
  readonly produces?: "text/csv" | "application/json";
  /** What an API key needs; null: no credential at all. */
  readonly scope: "read" | "write" | null;
  /** What a signed-in member must at least be. */
  readonly role: Role;
  readonly minTier?: Tier;
}

export const roles = ["viewer", "admin", "owner"] as const;

export type Role = (typeof roles)[number];

// biome-ignore lint/suspicious/noExplicitAny: any operation, whatever its shapes.
export type AnyOperation = Operation<any, any, any, any>;

/** Keeps the exact types of a declaration. */
export function operation<
  Params extends Shape,
  Query extends Shape,
  Body extends Shape,
  Output extends z.ZodType,
>(declared: Operation<Params, Query, Body, Output>): Operation<Params, Query, Body, Output> {
  return declared;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : Record<never, never>;
type Sent<S> = S extends z.ZodType ? z.input<S> : Record<never, never>;

/** What a handler gets: everything parsed, in one flat record. */
export type InputOf<O extends AnyOperation> = Parsed<O["params"]> & Parsed<O["query"]> & Parsed<O["body"]>;
/** What a caller sends. */
export type RequestOf<O extends AnyOperation> = Sent<O["params"]> & Sent<O["query"]> & Sent<O["body"]>;
export type OutputOf<O extends AnyOperation> = O["output"] extends z.ZodType
  ? z.input<O["output"]>
  : undefined;
