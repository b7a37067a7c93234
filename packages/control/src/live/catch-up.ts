import { liveCloseCodes, MAX_MISSED_EVENTS } from "@tollgate/core/live/live-channels";
import type { FairQueue } from "./fair-queue.ts";
import type { LogReader } from "./log-reader.ts";
import { MissedEvents } from "./missed-events.ts";
import type { RecentMessages } from "./recent-messages.ts";
import type { Viewer } from "./viewer.ts";

export interface CatchUpParts {
  /** Whose turn it is in the queue: the scope. */
  readonly party: string;
  readonly queue: FairQueue;
  readonly log: LogReader;
  readonly countOf: (after: number, upTo: number) => number;
  readonly recent: () => RecentMessages;
  readonly published: () => number;
  /** How many events the room has published. */
  readonly eventsPublished: () => number;
  readonly onFault: (fault: unknown) => void;
}

const RETRY_AFTER_MS = 1000;

/**
 * Tells viewers that are behind what they missed, as fast as they read. Whatever a viewer asks for, one piece of work
 * is under way for it, and the next one is for what it asked last.
 */
export class CatchUp {
  readonly #missed: MissedEvents;

  constructor(private readonly parts: CatchUpParts) {
    this.#missed = new MissedEvents(parts.countOf);
  }

  /** From the viewer's place on, if it has not missed too much. */
  begin(viewer: Viewer): void {
    viewer.isCurrent = false;
    viewer.counting = null;
    if (viewer.channels.has("events")) {
      viewer.counting = this.#missed.begin(viewer.position, this.parts.published());
      if (viewer.counting === null) {
        closeTooFarBack(viewer);
        return;
      }
      viewer.eventsTold = this.parts.eventsPublished();
    }
    void this.goOn(viewer);
  }

  async goOn(viewer: Viewer): Promise<void> {
    if (viewer.isReading) return;
    viewer.isReading = true;
    const { queue, party, onFault } = this.parts;
    try {
      while (isWaiting(viewer) && !this.#isThere(viewer)) {
        await queue.run(party, () => (isWaiting(viewer) ? this.#piece(viewer) : undefined));
      }
    } catch (fault) {
      onFault(fault);
      // What was missed waits; the room comes back to it.
      await Bun.sleep(RETRY_AFTER_MS);
    } finally {
      viewer.isReading = false;
    }
  }

  /** Nothing lies between the viewer and what is told to everybody. */
  #isThere(viewer: Viewer): boolean {
    if (viewer.position < this.parts.published()) return false;
    viewer.isCurrent = true;
    viewer.counting = null;
    viewer.eventsTold = this.parts.eventsPublished();
    return true;
  }

  #piece(viewer: Viewer): Promise<void> | undefined {
    const { counting } = viewer;
    if (counting === null) return this.#tellPage(viewer);
    if (!this.#missed.goOn(counting, MAX_MISSED_EVENTS)) return undefined;
    if (counting.missed > MAX_MISSED_EVENTS) {
      closeTooFarBack(viewer);
      return undefined;
    }
    viewer.counting = null;
    // Those that were published meanwhile are not in the count.
    viewer.eventsTold -= counting.missed;
    return undefined;
  }

  async #tellPage(viewer: Viewer): Promise<void> {
    const { generation, position } = viewer;
    const { recent, published, log } = this.parts;
    const wants = { events: viewer.channels.has("events"), alerts: viewer.channels.has("alerts") };
    const page = recent().after(position, published()) ?? (await log.page(position, published(), wants));
    // What was read for an older subscription is not sent.
    if (generation === viewer.generation && isWaiting(viewer)) viewer.sendTogether(() => viewer.tell(page));
  }
}

function isWaiting(viewer: Viewer): boolean {
  return viewer.isOpen && !viewer.isCurrent && !viewer.isFull;
}

function closeTooFarBack(viewer: Viewer): void {
  viewer.close(liveCloseCodes.tooFarBack, "too far back: read the web API, and subscribe anew");
}
