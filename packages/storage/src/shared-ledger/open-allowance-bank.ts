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
    ask: request => inTime(bank.ask(request)),
    quotas: {
      askForCalls: request => inTime(quotas.askForCalls(request)),
      registerAgent: request => inTime(quotas.registerAgent(request)),
      withdrawAgent: agent => inTime(quotas.withdrawAgent(agent)),
    },
    close: () => db.destroy(),
  };
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new DatabaseUnavailable()), MAX_ANSWER_MS);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
    // A late failure was already reported as such.
    answer.catch(() => {});
  }
}
