import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlDb, ControlTransaction } from "@tollgate/storage/database/schema";
import type { Applied, Batch, Consumer } from "@tollgate/storage/following/consumer";
import { Follower, type FollowerOptions } from "@tollgate/storage/following/follower";
import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import { StoredCursor } from "@tollgate/storage/following/stored-cursor";
import type { ServedModel } from "@tollgate/storage/ledger/event-parts";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { pairCall } from "./pair-row.ts";

const SERVED_MODELS_CURSOR = "verdicts:served-models";

/** How many pairs are searched for a name: failed calls have none. */
const PAIRS_SEARCHED = 50;

/** An invalidated verdict stays invalidated: the other name was seen, even if its event is lost. */
export const servedModelRepair: LedgerRepair = {
  reader: SERVED_MODELS_CURSOR,
  restart: async (_db, _engine, common) => common,
};

export function followServedModels(
  database: ControlDatabase,
  ledger: LedgerReader,
  now: () => number,
  options: FollowerOptions = {},
): Follower<readonly ServedModel[], ControlTransaction> {
  const cursor = new StoredCursor(database, SERVED_MODELS_CURSOR, async () => ledger.newestPosition());
  return new Follower(ledger, cursor, new ServedModelConsumer(database, ledger, now), options);
}

/** A verdict in force, and the names under which its two models answered. */
interface Valid {
  readonly request_id: string;
  readonly org_id: string;
  readonly mode: string;
  readonly prod: Named;
  readonly candidate: Named;
}

interface Named {
  readonly provider: string;
  readonly model: string;
  /** null: unknown. */
  readonly servedModel: string | null;
}

/**
 * Invalidates a verdict when one of its models answers under another name: the provider has replaced the model behind
 * the requested name, and the verdict was about the previous one. While no verdict is in force, every event is skipped.
 */
class ServedModelConsumer implements Consumer<readonly ServedModel[], ControlTransaction> {
  readonly repair = servedModelRepair;
  readonly batchSize = 5000;
  readonly pollMs = 250;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly now: () => number,
  ) {}

  async hasWork(): Promise<boolean> {
    return (await this.#inForce(this.database.db).limit(1).executeTakeFirst()) !== undefined;
  }

  read(after: number, upTo: number): ServedModel[] {
    return this.ledger.servedModelsBetween(after, upTo);
  }

  async apply({ events }: Batch<readonly ServedModel[]>, transaction: ControlTransaction): Promise<Applied> {
    if (events.length === 0) return { isEmpty: true };
    let changed = 0;
    for (const verdict of await this.#readInForce(transaction)) {
      if (!events.some(event => isChange(verdict, event))) continue;
      changed++;
      await transaction
        .updateTable("verdicts")
        .set({ invalidated_at: this.now(), invalid_reason: "served_model_changed" })
        .where("request_id", "=", verdict.request_id)
        .where("invalidated_at", "is", null)
        .execute();
    }
    return { isEmpty: changed === 0 };
  }

  /** Only for our own pairs: served names of captured pairs are unknown. */
  #inForce(db: ControlDb) {
    return db
      .selectFrom("verdicts")
      .innerJoin("verification_requests", "verification_requests.id", "verdicts.request_id")
      .select([
        "verification_requests.id as request_id",
        "verification_requests.org_id",
        "verification_requests.mode",
        "prod_provider",
        "verification_requests.prod_model",
        "candidate_provider",
        "verification_requests.candidate_model",
      ])
      .where("verdicts.evidence_mode", "=", "shadow")
      .where("task_category", "is", null)
      .where("invalidated_at", "is", null)
      .where("verdicts.expires_at", ">", this.now());
  }

  async #readInForce(transaction: ControlDb): Promise<Valid[]> {
    const verdicts: Valid[] = [];
    for (const row of await this.#inForce(transaction).execute()) {
      const { prod, candidate } = await readServedModels(transaction, row.request_id);
      verdicts.push({
        request_id: row.request_id,
        org_id: row.org_id,
        mode: row.mode,
        prod: { provider: row.prod_provider, model: row.prod_model, servedModel: prod },
        candidate: { provider: row.candidate_provider, model: row.candidate_model, servedModel: candidate },
      });
    }
    return verdicts;
  }
}

function isChange({ org_id, mode, prod, candidate }: Valid, event: ServedModel): boolean {
  if (event.org_id !== org_id || event.mode !== mode) return false;
  return [prod, candidate].some(
    ({ provider, model, servedModel }) =>
      event.provider === provider &&
      event.model === model &&
      servedModel !== null &&
      event.served_model !== servedModel,
  );
}

/** All counted pairs of a trial have the same two names; otherwise it is voided. */
async function readServedModels(
  db: ControlDb,
  requestId: string,
): Promise<{ readonly prod: string | null; readonly candidate: string | null }> {
  const rows = await db
    .selectFrom("verification_pairs")
    .select(["prod", "candidate"])
    .where("request_id", "=", requestId)
    .where("kind", "=", "candidate")
    .where("is_counted", "=", 1)
    .orderBy("position", "desc")
    .limit(PAIRS_SEARCHED)
    .execute();
  const first = (calls: readonly string[]) =>
    calls.map(call => pairCall.parse(JSON.parse(call)).served_model).find(name => name !== null) ?? null;
  return { prod: first(rows.map(({ prod }) => prod)), candidate: first(rows.map(row => row.candidate)) };
}
