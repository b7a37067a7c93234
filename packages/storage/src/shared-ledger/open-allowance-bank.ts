import { SQL } from "bun";
import { Kysely } from "kysely";
import type { ControlSchema } from "../database/schema.ts";
import { BunPostgresDialect } from "../engine/bun-postgres-dialect.ts";
import { DatabaseUnavailable } from "../engine/database-unavailable.ts";
import { type AllowanceBank, PostgresAllowanceBank } from "./allowance-bank.ts";
import { PostgresQuotaBank, type QuotaBank } from "./quota-bank.ts";

/** A stalled connection must not keep calls waiting: without an answer nothing is granted. */
const MAX_ANSWER_MS = 2000;
const CONNECTIONS = 2;

export interface OpenAllowanceBank extends AllowanceBank {
  readonly quotas: QuotaBank;
  close(): Promise<void>;
}

/** Connects when first asked, and again after every fault. */
export function openAllowanceBank(url: string, nodeId: string): OpenAllowanceBank {
  const client = new SQL(url, { bigint: true, max: CONNECTIONS, connectionTimeout: MAX_ANSWER_MS / 1000 });
  const db = new Kysely<ControlSchema>({ dialect: new BunPostgresDialect(client) });
  const bank = new PostgresAllowanceBank(db, nodeId);
  const quotas = new PostgresQuotaBank(db, nodeId);
  return {
    ask: request => inTime(signal => bank.ask(request, signal)),
    quotas: {
      askForCalls: request => inTime(signal => quotas.askForCalls(request, signal)),
      heldMonths: () => inTime(() => quotas.heldMonths()),
      registerAgent: request => inTime(signal => quotas.registerAgent(request, signal)),
      withdrawAgent: slot => inTime(signal => quotas.withdrawAgent(slot, signal)),
    },
    close: () => db.destroy(),
  };
}

async function inTime<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const overdue = new AbortController();
  const timer = setTimeout(() => {
    const fault = new DatabaseUnavailable();
    overdue.abort(fault);
    late.reject(fault);
  }, MAX_ANSWER_MS);
  const answer = ask(overdue.signal);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
    // A late failure was already reported as such.
    answer.catch(() => {});
  }
}
