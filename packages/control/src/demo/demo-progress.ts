import type { demoSteps } from "@tollgate/core/contract/demo";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { DemoRow } from "./demo-row.ts";

type Step = (typeof demoSteps)[number];

/** How far a demo is, in memory until the next heartbeat. */
export class DemoProgress {
  #step: Step | null = null;
  #doneCalls = 0;
  #totalCalls: number;

  constructor(
    private readonly parts: { readonly db: ControlDb; readonly now: () => number },
    private readonly demo: Pick<DemoRow, "org_id" | "total_calls">,
    private readonly runner: string,
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

  add(calls: number): void {
    this.#doneCalls += calls;
    this.#totalCalls = Math.max(this.#totalCalls, this.#doneCalls);
  }

  /** All calls of the demo, also those that verifications made. */
  complete(calls: number): void {
    this.#doneCalls = calls;
    this.#totalCalls = calls;
  }

  /** False: the demo was removed, or another process took this one for dead. */
  async store(): Promise<boolean> {
    const { numUpdatedRows } = await this.#update()
      .set({
        step: this.#step,
        done_calls: this.#doneCalls,
        total_calls: this.#totalCalls,
        heartbeat_at: this.parts.now(),
      })
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** `error` is shown to people; null: it is ready. Resolves with false if the demo was removed in the meantime. */
  async finish(error: string | null): Promise<boolean> {
    const { numUpdatedRows } = await this.#update()
      .set({
        status: error === null ? "ready" : "failed",
        step: null,
        done_calls: this.#doneCalls,
        total_calls: error === null ? this.#doneCalls : this.#totalCalls,
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
