import type { demoSteps } from "@tollgate/core/contract/demo";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { DemoRow } from "./demo-row.ts";

type Step = (typeof demoSteps)[number];

/** How far a demo is, in memory until the next heartbeat. */
export class DemoProgress {
  #step: Step | null = null;
  #totalCalls: number;

  constructor(
    private readonly parts: { readonly db: ControlDb; readonly now: () => number },
    private readonly demo: Pick<DemoRow, "org_id" | "total_calls">,
    private readonly runner: string,
    /** Its calls in the ledger, also those that verifications made. */
    private readonly countCalls: () => number,
  ) {
    this.#totalCalls = demo.total_calls;
  }

  begin(step: Step): void {
    this.#step = step;
  }

  /** An estimate of all calls. */
  expect(calls: number): void {
    this.#totalCalls = calls;
  }

  /** False: the demo was removed, or another process considered this one dead. */
  async store(): Promise<boolean> {
    const doneCalls = this.countCalls();
    const { numUpdatedRows } = await this.#update()
      .set({
        step: this.#step,
        done_calls: doneCalls,
        total_calls: Math.max(this.#totalCalls, doneCalls),
        heartbeat_at: this.parts.now(),
      })
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** `error` is shown to people; null: it is ready. Resolves with false if the demo was removed in the meantime. */
  async finish(error: string | null): Promise<boolean> {
    const doneCalls = this.countCalls();
    const { numUpdatedRows } = await this.#update()
      .set({
        status: error === null ? "ready" : "failed",
        step: null,
        done_calls: doneCalls,
        total_calls: error === null ? doneCalls : Math.max(this.#totalCalls, doneCalls),
        error,
        finished_at: this.parts.now(),
      })
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  #update() {
    return this.parts.db
      .updateTable("demos")
      .where("org_id", "=", this.demo.org_id)
      .where("status", "=", "adding")
      .where("runner", "=", this.runner);
  }
}
