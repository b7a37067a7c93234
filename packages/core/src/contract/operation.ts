import type { z } from "zod";
import type { Tier } from "../limits/tiers.ts";

/**
 * One operation of the web API, declared once: router, validation, OpenAPI, typed client and docs are derived from
 * it. The shape that declares an input (path, query or body) says where it comes from; all are strict objects, no
 * name is in two of them, and unknown fields are refused everywhere.
 */
export interface AnyOperation {
  /** "budgets.create": the client's method, and the handler's name. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** "/api/budgets/:id" */
  readonly path: `/api/${string}`;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The response body; absent for 204 and for files (`produces`). */
  readonly output?: z.ZodType;
  readonly status: 200 | 201 | 202 | 204;
  /** The content types of a response that is a file. Its handler returns a `Response`. */
  readonly produces?: readonly string[];
  /** The permission that an API key needs; null: no credential is needed. */
  readonly scope: "read" | "write" | null;
  /** The lowest role of a signed-in member that may call it. */
  readonly role: Role;
  /** Refuses API keys of any scope: the operation concerns an account, which only a signed-in person has. */
  readonly isForPeople?: true;
  /** Concerns live traffic too, whatever the mode: refuses keys for test traffic, which leak more easily. */
  readonly isOrganizationWide?: true;
  /** Also open to callers without a credential, if the operator allows it. */
  readonly isOpenToStrangers?: true;
  /** Its path contains a code that grants access, so the audit log omits it. */
  readonly hasSecretPath?: true;
  /** It changes an organization other than the caller's, whose audit log has the entry. */
  readonly changesAnotherOrganization?: true;
  readonly minTier?: Tier;
  /** Further statuses it may return: 402 if a tier or a balance limits the number of objects. */
  readonly refusals?: readonly 402[];
}

export const roles = ["viewer", "admin", "owner"] as const;

export type Role = (typeof roles)[number];

/** Who may call most operations; one that differs spells it out. */
export const readAccess = { scope: "read", role: "viewer" } as const;
export const writeAccess = { scope: "write", role: "admin" } as const;

interface Declaration extends Omit<AnyOperation, "id" | "status"> {
  /** Absent: 200, or 204 if there is no output. */
  readonly status?: 201 | 202;
}

/** The operations of one resource, by id. Keeps the exact types of each declaration. */
export function declareOperations<const D extends Readonly<Record<string, Declaration>>>(
  declared: D,
): { readonly [Id in keyof D & string]: { readonly id: Id } & Pick<AnyOperation, "status"> & D[Id] } {
  const operations = Object.entries(declared).map(([id, declaration]) => {
    const status = declaration.output || declaration.produces ? 200 : 204;
    return [id, { id, status, ...declaration }];
  });
  // Every entry got the key that it is listed under.
  return Object.fromEntries(operations) as ReturnType<typeof declareOperations<D>>;
}

type Nothing = Record<never, never>;
type ParsedPart<O, Part extends string> = O extends { readonly [P in Part]: infer S extends z.ZodType }
  ? z.output<S>
  : Nothing;
type SentPart<O, Part extends string> = O extends { readonly [P in Part]: infer S extends z.ZodType }
  ? z.input<S>
  : Nothing;

/** What a handler gets: everything parsed, in one flat record. */
export type InputOf<O extends AnyOperation> = ParsedPart<O, "params"> &
  ParsedPart<O, "query"> &
  ParsedPart<O, "body">;
/** What a caller sends. */
export type RequestOf<O extends AnyOperation> = SentPart<O, "params"> &
  SentPart<O, "query"> &
  SentPart<O, "body">;
/** What a handler returns and a caller receives. */
export type OutputOf<O extends AnyOperation> = O extends { readonly produces: readonly string[] }
  ? Response
  : O extends { readonly output: infer S extends z.ZodType }
    ? z.input<S>
    : undefined;
