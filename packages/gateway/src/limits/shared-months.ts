import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import type { QuotaBank } from "@tollgate/storage/shared-ledger/quota-bank";

const RENEW_EVERY_MS = 10_000;
/** How long a call waits for an allowance. */
const PATIENCE_MS = 250;
/** Other nodes may give back what they do not use. */
const RETRY_MS = 25;
const SPENT_RETRY_MS = 1000;
const FAULT_RETRY_MS = 1000;

interface Parts {
  readonly bank: Pick<QuotaBank, "askForCalls" | "heldMonths">;
  /** According to this node's ledger. */
  readonly callsInMonth: (orgId: string, month: string) => number;
  readonly onFault: (fault: unknown) => void;
  /** Monotonic. */
  readonly uptimeMs: () => number;
  readonly patienceMs?: number;
  readonly sleep?: (ms: number) => Promise<void>;
}

/** An organization's calls of a month, as this node counts them. */
export interface MonthOfCalls {
  readonly orgId: string;
  readonly month: string;
  readonly limit: number;
  /** Those that this node has made. */
  readonly ownCalls: () => number;
}

/** Room for one call. */
export interface MonthReservation {
  /** The call was counted, or is not made. */
  release(): void;
}

interface Held {
  month: MonthOfCalls;
  grantedCalls: number;
  /** The bank's last grant: when half of it is used, more is requested. */
  lastGrant: number;
  /** Of all nodes. */
  usedCalls: number;
  /** Calls that have room, and are not counted yet. */
  reserved: number;
  waiting: number;
  /** The calls that the bank knows of, if it also knows that nothing else is held; null: it may not. */
  settledCalls: number | null;
  /** The bank did not answer: this node counts alone. */
  isCutOff: boolean;
  asking: Promise<void> | null;
  askAgainAtMs: number;
  usedAtMs: number;
}

/**
 * The part of each organization's monthly calls that this node may make. Calls are admitted from what it holds; the bank is
 * asked in the background, before it runs out. Only the first call of a month, and those at its limit, wait for it. Without
 * the bank, calls continue and are counted: a fault of ours must not stop them.
 */
export class SharedMonths {
  /** By organization and month: around the end of a month, calls of both may be on their way. */
  readonly #held = new Map<string, Held>();
  /** The last month reported to the bank since this process started, by organization. */
  readonly #reported = new Map<string, string>();

  #hasResumed = false;
  readonly #sleep: (ms: number) => Promise<void>;

  constructor(private readonly parts: Parts) {
    this.#sleep = parts.sleep ?? Bun.sleep;
  }

  /** null: there is no room. */
  reserve(month: MonthOfCalls): MonthReservation | Promise<MonthReservation | null> {
    const held = this.#find(month);
    held.usedAtMs = this.parts.uptimeMs();
    if (hasRoom(held)) {
      if (held.isCutOff || roomOf(held) <= held.lastGrant / 2) this.#askIfDue(held);
      return reserved(held);
    }
    return this.#wait(held);
  }

  /** The calls of all nodes, if they have used up the limit. */
  spent(month: MonthOfCalls): number | null {
    const known = this.#held.get(keyOf(month));
    if (known === undefined || known.usedCalls < month.limit) return null;
    const held = this.#find(month);
    if (!isSpent(held)) return null;
    this.#askIfDue(held);
    return held.usedCalls;
  }

  /** Of all nodes, as far as it is known. */
  usedCalls(month: MonthOfCalls): number {
    return this.#held.get(keyOf(month))?.usedCalls ?? 0;
  }

  /** Calls were counted without a reservation. */
  counted(month: MonthOfCalls): void {
    const held = this.#find(month);
    held.usedAtMs = this.parts.uptimeMs();
    if (roomOf(held) <= held.lastGrant / 2) this.#askIfDue(held);
  }

  /** Reports what was used, and gives back what has not been used for a while, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(signal, RENEW_EVERY_MS, () => this.renew(), this.parts.onFault);
  }

  async renew(): Promise<void> {
    if (!this.#hasResumed) await this.#resume();
    const now = this.parts.uptimeMs();
    for (const [key, held] of this.#held) {
      const isIdle = now - held.usedAtMs >= RENEW_EVERY_MS && held.reserved === 0 && held.waiting === 0;
      // Otherwise the bank may lack calls that were made while it was away, or keep some that this node gave up.
      if (isIdle && held.settledCalls === held.month.ownCalls()) this.#held.delete(key);
      else await this.#ask(held, 0, isIdle);
    }
  }

  /** This node stops: others can use what it does not need. */
  async giveBack(): Promise<void> {
    await Promise.all(
      [...this.#held.values()].map(async held => {
        // Its answer may still grant calls.
        await held.asking;
        await this.#ask(held, 0, true);
      }),
    );
  }

  /** The process before this one was killed: what it held is given back, unless calls need it, and what it made is reported. */
  async #resume(): Promise<void> {
    const { bank, callsInMonth } = this.parts;
    try {
      for (const { orgId, month, grantedCalls } of await bank.heldMonths()) {
        const ownCalls = () => callsInMonth(orgId, month);
        const share = { orgId, month, limit: Number.POSITIVE_INFINITY, ownCalls };
        if (this.#held.has(keyOf(share)) || grantedCalls === ownCalls()) continue;
        this.#held.set(keyOf(share), { ...nothingHeld, month: share });
      }
      this.#hasResumed = true;
    } catch (fault) {
      // Tried again with the next renewal.
      this.parts.onFault(fault);
    }
  }

  #find(month: MonthOfCalls): Held {
    const key = keyOf(month);
    let held = this.#held.get(key);
    if (held === undefined) {
      held = { ...nothingHeld, month };
      this.#held.set(key, held);
    }
    const isLower = month.limit < held.month.limit;
    held.month = month;
    if (isLower) giveUpUnused(held);
    return held;
  }

  async #wait(held: Held): Promise<MonthReservation | null> {
    const { uptimeMs } = this.parts;
    const deadlineMs = uptimeMs() + (this.parts.patienceMs ?? PATIENCE_MS);
    held.waiting++;
    try {
      for (;;) {
        const now = uptimeMs();
        if (isSpent(held) && now < held.askAgainAtMs) return null;
        // However many calls arrive, the bank is not asked again at once.
        const pauseMs = held.asking === null ? held.askAgainAtMs - now : 0;
        if (pauseMs > 0) await this.#sleep(Math.min(pauseMs, deadlineMs - now));
        else await Promise.race([this.#ask(held, held.waiting, false), this.#sleep(deadlineMs - now)]);
        if (hasRoom(held)) return reserved(held);
        if (isSpent(held) || uptimeMs() >= deadlineMs) return null;
      }
    } finally {
      held.waiting--;
    }
  }

  #askIfDue(held: Held): void {
    if (this.parts.uptimeMs() >= held.askAgainAtMs) void this.#ask(held, 1 + held.waiting, false);
  }

  #ask(held: Held, wantedCalls: number, givesBack: boolean): Promise<void> {
    held.asking ??= this.#request(held, wantedCalls, givesBack).finally(() => {
      held.asking = null;
    });
    return held.asking;
  }

  async #request(held: Held, wantedCalls: number, givesBack: boolean): Promise<void> {
    const { bank, uptimeMs, onFault } = this.parts;
    const { orgId, month, limit, ownCalls } = held.month;
    const madeCalls = ownCalls();
    const usedCalls = madeCalls + held.reserved;
    const isFirst = this.#reported.get(orgId) !== month;
    const before = held.grantedCalls;
    held.settledCalls = null;
    // From now on, not only from the answer, which may get lost.
    if (givesBack) giveUpUnused(held);
    try {
      const request = { orgId, month, limit, madeCalls, usedCalls, wantedCalls, givesBack, isFirst };
      const grant = await bank.askForCalls(request);
      this.#reported.set(orgId, month);
      held.lastGrant = Math.max(0, grant.grantedCalls - before);
      held.grantedCalls = grant.grantedCalls;
      held.usedCalls = grant.usedCalls;
      held.isCutOff = false;
      if (givesBack && usedCalls === madeCalls) held.settledCalls = madeCalls;
      // Together with those of other nodes, a grant of a higher limit may exceed the new one.
      if (held.month.limit < limit) giveUpUnused(held);
      const isRefused = wantedCalls > 0 && !hasRoom(held);
      held.askAgainAtMs = isRefused ? uptimeMs() + (isSpent(held) ? SPENT_RETRY_MS : RETRY_MS) : 0;
    } catch (fault) {
      if (!held.isCutOff) onFault(fault);
      held.isCutOff = true;
      held.askAgainAtMs = uptimeMs() + FAULT_RETRY_MS;
    }
  }
}

const nothingHeld = {
  grantedCalls: 0,
  lastGrant: 0,
  usedCalls: 0,
  reserved: 0,
  waiting: 0,
  settledCalls: null,
  isCutOff: false,
  asking: null,
  askAgainAtMs: 0,
  usedAtMs: Number.NEGATIVE_INFINITY,
};

const keyOf = ({ orgId, month }: MonthOfCalls) => `${month} ${orgId}`;

function giveUpUnused(held: Held): void {
  held.grantedCalls = Math.min(held.grantedCalls, held.month.ownCalls() + held.reserved);
}

function roomOf({ month, grantedCalls, reserved: taken, isCutOff }: Held): number {
  const held = isCutOff ? month.limit : Math.min(grantedCalls, month.limit);
  return held - month.ownCalls() - taken;
}

const hasRoom = (held: Held) => roomOf(held) > 0;

const isSpent = ({ usedCalls, month }: Held) => usedCalls >= month.limit;

function reserved(held: Held): MonthReservation {
  held.reserved++;
  let isOpen = true;
  return {
    release() {
      if (isOpen) held.reserved--;
      isOpen = false;
    },
  };
}
