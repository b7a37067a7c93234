import type { Database } from "bun:sqlite";
import { type Event, isVerification } from "@tollgate/core/event";
import { monthOf } from "@tollgate/core/time/month";

/** Live calls by organization and month. Those of the current group are kept in memory: one statement per group, not per call. */
export class MonthlyCalls {
  readonly #new = new Map<string, { orgId: string; month: string; calls: number }>();
  readonly #count;

  constructor(private readonly database: Database) {
    this.#count = database.query(
      "INSERT INTO monthly_calls (org_id, month, calls) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls",
    );
  }

  begin(): void {
    this.#new.clear();
  }

  add(event: Event): void {
    if (event.mode !== "live" || isVerification(event.source)) return;
    const orgId = event.org_id;
    const month = monthOf(event.created_at);
    const key = orgId + month;
    const known = this.#new.get(key);
    if (known) known.calls++;
    else this.#new.set(key, { orgId, month, calls: 1 });
  }

  write(): void {
    for (const { orgId, month, calls } of this.#new.values()) this.#count.run(orgId, month, calls);
  }

  of(orgId: string, month: string): number {
    const row = this.database
      .query<{ calls: number }, [string, string]>(
        "SELECT calls FROM monthly_calls WHERE org_id = ? AND month = ?",
      )
      .get(orgId, month);
    return row?.calls ?? 0;
  }
}
