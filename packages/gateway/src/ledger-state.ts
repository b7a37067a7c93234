import { describeFault, type Log } from "@tollgate/core/log";
import { isDiskFullFault } from "@tollgate/storage/engine/disk-full-fault";
import { type Ledger, LedgerLost } from "@tollgate/storage/ledger/ledger";

const CHECK_EVERY_MS = 500;

/**
 * Whether the ledger can be written, for `GET /health`. Only a test write clears a failure: a call's intent may fit into
 * the journal while no event can be written, and once a load balancer has taken the node out, no calls arrive.
 */
export class LedgerState {
  #isFailing = false;
  #isChecking = false;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly ledger: Pick<Ledger, "testWrite" | "retryUnsettled" | "isDiskFull" | "file">,
    private readonly log: Log,
  ) {
    this.#timer = setInterval(() => this.#look(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Something was refused because it could not be recorded. Logged once, until writing works again. */
  failed(fault: unknown): void {
    // The loss of the file is watched and logged elsewhere.
    if (this.#isFailing || fault instanceof LedgerLost) return;
    this.#isFailing = true;
    const reason = isDiskFullFault(fault) ? "the disk is full; " : "";
    this.log("error", `the ledger cannot be written: ${reason}calls are refused`, describeFault(fault));
  }

  /** A write failed, perhaps because of what was written: a test write tells. */
  async check(): Promise<void> {
    if (this.#isChecking || this.ledger.file.isLost) return;
    this.#isChecking = true;
    try {
      await this.ledger.testWrite();
      if (!this.#isFailing) return;
      this.#isFailing = false;
      this.log("info", "the ledger can be written again: calls are accepted");
      // Only now: retried after every check, an event that can never be written would cause the next one.
      this.ledger.retryUnsettled();
    } catch (fault) {
      this.failed(fault);
    } finally {
      this.#isChecking = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A healthy ledger is not written to: while idle, only the space on its disk is checked. */
  #look(): void {
    try {
      if (this.#isFailing || this.ledger.isDiskFull) void this.check();
    } catch {
      // The file was just removed: its watch reports that.
    }
  }
}
