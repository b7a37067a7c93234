import { targetName } from "@tollgate/core/models/resolve-target";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { isProviderId } from "@tollgate/core/provider-id";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb, TableRow } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import { notFound } from "../../kernel/not-found.ts";

export type RequestRow = TableRow<"verification_requests">;

/** Statuses that may still lead to a verdict. */
export const openStatuses = ["queued", "collecting"] as const;

export function isOpen({ status }: Pick<RequestRow, "status">): boolean {
  return openStatuses.some(open => open === status);
}

export async function findRequest({ db, scope }: Context, id: string): Promise<RequestRow> {
  const row = await db
    .selectFrom("verification_requests")
    .selectAll()
    .where(inScope(scope))
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw notFound("verification");
  return fromRow("verification_requests", row);
}

/** Until the end of the transaction: of a concurrent verdict, expiry and cancellation, only the first takes effect. */
export async function lockRequest(
  transaction: ControlDb,
  engine: Engine,
  id: string,
): Promise<RequestRow | null> {
  const query = transaction.selectFrom("verification_requests").selectAll().where("id", "=", id);
  const row = await (engine === "postgres" ? query.forUpdate() : query).executeTakeFirst();
  return row === undefined ? null : fromRow("verification_requests", row);
}

/** Models as callers name them. */
export function prodName({ prod_provider, prod_model }: RequestRow, catalogue: Catalogue): string {
  return nameOf(prod_provider, prod_model, catalogue);
}

export function candidateName(
  { candidate_provider, candidate_model }: RequestRow,
  catalogue: Catalogue,
): string {
  return nameOf(candidate_provider, candidate_model, catalogue);
}

function nameOf(provider: string, model: string, catalogue: Catalogue): string {
  return isProviderId(provider) ? targetName({ provider, model }, catalogue) : `${provider}/${model}`;
}

export function pollPath(id: string): string {
  return `/api/verify/requests/${id}`;
}
