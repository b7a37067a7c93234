import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { freeBytes } from "@tollgate/storage/engine/free-bytes";
import { RESERVE_BYTES } from "@tollgate/storage/ledger/free-space";
import { sql } from "kysely";
import type { Control } from "../../kernel/context.ts";
import type { PublicHandlers } from "../../kernel/handler.ts";

/** As specified: neither the gateway's version nor `API_VERSION`, which grows with the web API. */
const VERSION = "0.1.0";
const SLOW_MS = 1000;

export const healthHandlers: Pick<PublicHandlers, "health.get"> = {
  "health.get": async control => {
    const database = await databaseState(control);
    return {
      status: database,
      timestamp: toIsoTime(control.now()),
      version: VERSION,
      uptime: Math.max(0, Math.floor((control.now() - control.startedAt) / 1000)),
      services: { database, cache: control.cacheState === null ? "disabled" : await control.cacheState() },
    };
  },
};

async function databaseState(control: Control): Promise<"ok" | "degraded" | "down"> {
  const { files, continuity, isFollowerStuck } = control;
  if (files.database?.isLost) return "down";
  const startedAt = performance.now();
  let isReadOnly = false;
  try {
    await control.db.selectFrom("config_revision").select("revision").executeTakeFirst();
    isReadOnly = control.engine === "postgres" && (await canOnlyRead(control));
  } catch {
    return "down";
  }
  const isSlow = performance.now() - startedAt > SLOW_MS;
  const isDegraded =
    isSlow ||
    isReadOnly ||
    isDiskFull(files.ledger.path) ||
    files.ledger.isLost ||
    continuity.isDegraded ||
    isFollowerStuck();
  return isDegraded ? "degraded" : "ok";
}

/** After a failover, the address may still lead to the old primary, which is a standby now. */
async function canOnlyRead({ db }: Control): Promise<boolean> {
  const { rows } = await sql<{ transaction_read_only: string }>`SHOW transaction_read_only`.execute(db);
  return rows[0]?.transaction_read_only === "on";
}

/** The gateway refuses calls then; here everything can still be read. */
function isDiskFull(path: string): boolean {
  const free = freeBytes(path);
  return free !== null && free < RESERVE_BYTES;
}
