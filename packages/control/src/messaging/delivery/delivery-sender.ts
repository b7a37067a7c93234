import { DAY_MS } from "@tollgate/core/time/durations";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { Control } from "../../kernel/context.ts";
import type { Transports } from "../../kernel/transport.ts";
import { afterAttempt } from "./after-attempt.ts";
import { AttemptRecorder } from "./attempt-recorder.ts";
import type { Delivery } from "./delivery.ts";
import { DeliveryLane, type LaneParts } from "./delivery-lane.ts";
import { cancelPending, isListening, nextDueAfter, readDue, readReceivers } from "./due-deliveries.ts";
import { type Failing, type Result, recordAttempts } from "./record-attempts.ts";

/** Concurrent attempts per receiver. */
const WIDTH = 4;
/** With this many attempts in flight in total, a failing receiver gets one at a time. */
const BUSY = 500;
const SCAN_EVERY_MS = 5000;
const RECEIVERS_PER_PAGE = 200;
const SHUTDOWN_GRACE_MS = 5000;
/** A webhook whose attempts have all failed for this long is disabled. */
const FAILING_TOO_LONG_MS = 5 * DAY_MS;

export interface SenderOptions {
  /** Called with faults that did not stop the sender. */
  readonly onFault: (fault: unknown) => void;
  /** In [0, 1]. */
  readonly jitter?: () => number;
  readonly scanEveryMs?: number;
  /** How long `run` waits at shutdown for attempts in flight. */
  readonly shutdownGraceMs?: number;
}

/** Why a webhook gets nothing more, and when the deciding attempt began. */
export interface DisableReason {
  readonly reason: string;
  readonly triedAt: number;
}

type Parts = Pick<Control, "db" | "engine" | "now"> & {
  readonly transports: Transports;
  /** Resolves with when it was disabled; null: it was not, because it was changed after the attempt began. */
  readonly disableWebhook: (webhookId: string, why: DisableReason) => Promise<number | null>;
};

/**
 * Sends pending deliveries when they are due, over every channel, at least once. Nothing is marked as started: a
 * crash between sending and recording leaves the delivery pending, and it is sent again with the same id and bytes.
 */
export class DeliverySender {
  readonly #lanes = new Map<string, DeliveryLane>();
  #recorder: AttemptRecorder | null = null;
  readonly #laneParts: LaneParts;
  readonly #inFlight = new Set<Promise<boolean>>();
  readonly #closings = new Set<Promise<void>>();
  readonly #cancelling = new Set<string>();
  #alarm: { at: number; timer: ReturnType<typeof setTimeout> } | null = null;
  #scanning: Promise<void> | null = null;
  #scanAgain = false;
  #isRunning = false;

  constructor(
    private readonly parts: Parts,
    private readonly options: SenderOptions,
  ) {
    const { db, now } = parts;
    this.#laneParts = {
      now,
      readDue: (receiver, at, limit) => readDue(db, receiver, at, limit),
      nextDueAfter: (receiver, at) => nextDueAfter(db, receiver, at),
      send: delivery => this.#send(delivery),
      width: isFailing => (isFailing && this.#inFlight.size >= BUSY ? 1 : WIDTH),
      onDue: at => this.#setAlarm(at),
      onFault: options.onFault,
    };
  }

  /**
   * Call it when deliveries are due, for these receivers or for unknown ones. Without effect while another control plane
   * sends them; its next scan finds them.
   */
  wake(receivers?: Iterable<string>): void {
    if (!this.#isRunning) return;
    if (receivers === undefined) void this.#scan();
    else for (const receiver of receivers) this.#lane(receiver).wake();
  }

  /**
   * Runs until the signal, then waits a while for attempts in flight. The next run repeats those that it abandons, here
   * or on another control plane.
   */
  async run(signal: AbortSignal): Promise<void> {
    const recorder = new AttemptRecorder({
      write: results => this.#record(results),
      onFault: this.options.onFault,
    });
    this.#recorder = recorder;
    this.#isRunning = true;
    const stopped = new Promise<void>(resolve => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    void this.#scan();
    const scans = setInterval(() => void this.#scan(), this.options.scanEveryMs ?? SCAN_EVERY_MS);
    await stopped;
    clearInterval(scans);
    this.#isRunning = false;
    if (this.#alarm) clearTimeout(this.#alarm.timer);
    this.#alarm = null;
    for (const lane of this.#lanes.values()) lane.stop();
    await this.#scanning;
    this.#lanes.clear();
    const grace = Bun.sleep(this.options.shutdownGraceMs ?? SHUTDOWN_GRACE_MS);
    await Promise.race([Promise.all(this.#inFlight), grace]);
    await recorder.close();
    await Promise.all(this.#closings);
  }

  /** Finds deliveries without a wake-up: from the last run, another process, or a lane that had a fault. */
  async #scan(): Promise<void> {
    if (this.#scanning) {
      this.#scanAgain = true;
      return;
    }
    this.#scanning = this.#scanAll();
    await this.#scanning;
    this.#scanning = null;
    const isAgain = this.#scanAgain && this.#isRunning;
    this.#scanAgain = false;
    if (isAgain) void this.#scan();
  }

  async #scanAll(): Promise<void> {
    try {
      for (const [receiver, lane] of this.#lanes) if (lane.isIdle) this.#lanes.delete(receiver);
      let after = "";
      while (this.#isRunning) {
        const page = await readReceivers(this.parts.db, after, RECEIVERS_PER_PAGE);
        for (const { receiver, next_attempt_at } of page) {
          const lane = this.#lane(receiver);
          if (next_attempt_at <= this.parts.now()) lane.wake();
          else {
            lane.nextDueAt = Math.min(lane.nextDueAt ?? next_attempt_at, next_attempt_at);
            this.#setAlarm(next_attempt_at);
          }
        }
        if (page.length < RECEIVERS_PER_PAGE) return;
        after = page.at(-1)?.receiver ?? "";
      }
    } catch (fault) {
      this.options.onFault(fault);
    }
  }

  #lane(receiver: string): DeliveryLane {
    let lane = this.#lanes.get(receiver);
    if (!lane) {
      lane = new DeliveryLane(receiver, this.#laneParts);
      this.#lanes.set(receiver, lane);
    }
    return lane;
  }

  #setAlarm(at: number): void {
    if (!this.#isRunning || (this.#alarm && this.#alarm.at <= at)) return;
    if (this.#alarm) clearTimeout(this.#alarm.timer);
    // Anything later than the next scan is found by that scan.
    const delayMs = Math.min(
      Math.max(at - this.parts.now(), 0),
      2 * (this.options.scanEveryMs ?? SCAN_EVERY_MS),
    );
    this.#alarm = { at, timer: setTimeout(() => this.#ring(), delayMs) };
  }

  #ring(): void {
    this.#alarm = null;
    const now = this.parts.now();
    let earliest: number | null = null;
    for (const lane of this.#lanes.values()) {
      if (lane.nextDueAt === null) continue;
      if (lane.nextDueAt <= now) lane.wake();
      else earliest = Math.min(earliest ?? lane.nextDueAt, lane.nextDueAt);
    }
    if (earliest !== null) this.#setAlarm(earliest);
  }

  async #send(delivery: Delivery): Promise<boolean> {
    const sent = this.#try(delivery);
    this.#inFlight.add(sent);
    const hasArrived = await sent;
    this.#inFlight.delete(sent);
    return hasArrived;
  }

  async #try(delivery: Delivery): Promise<boolean> {
    const { now } = this.parts;
    const recorder = this.#recorder;
    const startedAt = now();
    const start = performance.now();
    const attempt = await this.parts.transports[fromRow("deliveries", delivery).channel](delivery);
    // The receiver's pending deliveries are cancelled without attempts.
    if (attempt.outcome === "withdrawn" || attempt.outcome === "gone") {
      this.#lanes.get(delivery.receiver)?.dropQueue();
    }
    const times = { startedAt, endedAt: now() };
    recorder?.add({
      delivery,
      attempt,
      next: afterAttempt(delivery, attempt, times, (this.options.jitter ?? Math.random)()),
      startedAt,
      durationMs: Math.round(performance.now() - start),
    });
    return attempt.outcome === "delivered";
  }

  async #record(results: readonly Result[]): Promise<void> {
    const failing = await recordAttempts(this.parts, results);
    for (const { delivery, next } of results) {
      const retryAt = next.status === "pending" ? next.nextAttemptAt : null;
      this.#lanes.get(delivery.receiver)?.release(delivery.id, retryAt);
    }
    // Not awaited: there may be very many to cancel, and other receivers' results must be recorded in the meantime.
    const closing = this.#close(results, failing)
      .catch(this.options.onFault)
      .finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
  }

  /** Disables receivers that must get nothing more. If that fails, their next failed attempt retries it. */
  async #close(results: readonly Result[], failing: ReadonlyMap<string, Failing>): Promise<void> {
    const { now } = this.parts;
    const disabling = new Map<string, DisableReason>();
    for (const [id, { since, lastTriedAt }] of failing) {
      if (now() - since < FAILING_TOO_LONG_MS) continue;
      disabling.set(id, { reason: "every attempt of the last five days has failed", triedAt: lastTriedAt });
    }
    const withdrawn = new Set<string>();
    for (const { delivery, attempt, startedAt } of results) {
      if (delivery.channel !== "webhook") continue;
      const { receiver } = delivery;
      if (attempt.outcome === "gone") {
        disabling.set(receiver, { reason: "the receiver answered 410 (gone)", triedAt: startedAt });
      }
      if (attempt.outcome === "withdrawn") withdrawn.add(receiver);
    }
    for (const [id, why] of disabling) {
      const disabledAt = await this.parts.disableWebhook(id, why);
      if (disabledAt !== null) await this.#cancel(id, disabledAt);
    }
    for (const id of withdrawn) {
      const at = now();
      // If it has been enabled again, newer deliveries must go out.
      if (!(await isListening(this.parts.db, id))) await this.#cancel(id, at);
    }
  }

  /** One at a time per receiver; anything left over is withdrawn when it is attempted. */
  async #cancel(receiver: string, at: number): Promise<void> {
    if (this.#cancelling.has(receiver)) return;
    this.#cancelling.add(receiver);
    try {
      await cancelPending(this.parts, receiver, at, () => !this.#isRunning);
    } finally {
      this.#cancelling.delete(receiver);
    }
  }
}
