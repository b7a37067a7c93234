import { RateWindows } from "@tollgate/core/limits/rate-windows";

export const CALLS_PER_MINUTE = 60;

/** Sixty calls a minute for each key and tool. */
export class ToolCallRates {
  readonly #windows = new RateWindows(CALLS_PER_MINUTE);

  constructor(private readonly now: () => number) {}

  /** null: admitted; otherwise the seconds until the next call is. */
  admit(key: string, tool: string): number | null {
    const now = this.now();
    const full = this.#windows.admit(`${key} ${tool}`, now);
    return full === null ? null : Math.max(1, Math.ceil((full.resetAtMs - now) / 1000));
  }
}
