import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import type { priceOperations } from "@tollgate/core/contract/prices";
import { fail } from "@tollgate/core/errors";
import { ORGANIZATION_SOURCE } from "@tollgate/core/pricing/overrides";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { StoredRow } from "@tollgate/storage/database/schema";
import { actorName } from "../../kernel/actor-name.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { applyRerating, previewRerating } from "./rerate-period.ts";

const MAX_PRICES = 500;

type PriceOverride = OutputOf<Operations["prices.overrides.set"]>;

export const priceHandlers: Handlers<typeof priceOperations> = {
  "prices.overrides.list": async ({ db, organization }) => {
    const rows = await db
      .selectFrom("price_overrides")
      .selectAll()
      .where("org_id", "=", organization.id)
      .orderBy("effective_from", "desc")
      .orderBy("id", "desc")
      .limit(MAX_PRICES)
      .execute();
    return { overrides: rows.map(toPriceOverride) };
  },

  "prices.overrides.remove": async ({ db, organization }, { id }) => {
    await db.transaction().execute(async transaction => {
      const mine = () => transaction.deleteFrom("price_overrides").where("org_id", "=", organization.id);
      const removed = await mine().where("id", "=", id).returning(["provider", "model"]).executeTakeFirst();
      if (removed === undefined) throw notFound("price");
      await mine().where("provider", "=", removed.provider).where("model", "=", removed.model).execute();
    });
  },

  "prices.overrides.set": async (context, { provider, model, ...prices }) => {
    const { db, engine, organization, actor, newId, now } = context;
    const row = {
      id: newId(),
      org_id: organization.id,
      provider,
      model,
      prices: JSON.stringify(prices),
      effective_from: now(),
      created_by: actorName(actor),
    };
    await db.transaction().execute(async transaction => {
      // Of two concurrent requests only one may get the last slot.
      await lockOrganization(transaction, engine, organization.id);
      const { count } = await transaction
        .selectFrom("price_overrides")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("org_id", "=", organization.id)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_PRICES) {
        throw fail(
          "invalid_request",
          `This organization already has ${MAX_PRICES} prices, the maximum: remove some`,
        );
      }
      await transaction.insertInto("price_overrides").values(row).execute();
    });
    return toPriceOverride(row);
  },

  "prices.rerating.apply": applyRerating,
  "prices.rerating.preview": previewRerating,
};

function toPriceOverride(stored: StoredRow<"price_overrides">): PriceOverride {
  const row = fromRow("price_overrides", stored);
  return {
    id: row.id,
    provider: row.provider,
    model: row.model,
    // Written by `prices.overrides.set`.
    prices: JSON.parse(row.prices) as PriceOverride["prices"],
    source: ORGANIZATION_SOURCE,
    effective_from: toIsoTime(row.effective_from),
    created_by: row.created_by,
  };
}
