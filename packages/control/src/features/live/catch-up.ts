import { liveCloseCodes, MAX_MISSED_EVENTS } from "@tollgate/core/live/live-channels";
import type { FairQueue } from "./fair-queue.ts";
import type { LogReader } from "./log-reader.ts";
import { MissedEvents } from "./missed-events.ts";
import type { RecentMessages } from "./recent-messages.ts";
import type { Viewer } from "./viewer.ts";

interface CatchUpParts {
  /** The queue serves parties in turn; here, the scope's name. */
  readonly party: string;
  readonly queue: FairQueue;
  readonly log: LogReader;
  readonly countOf: (after: number, upTo: number) => number;
  readonly recent: () => RecentMessages;
  readonly published: () => number;
  /** How many events the audience has published. */
  readonly eventsPublished: () => number;
  readonly onFault: (fault: unknown) => void;
}

const RETRY_AFTER_MS = 1000;

/**
 * Sends viewers that are behind what they missed, as fast as they read. At most one piece of work is queued per viewer,
 * however often it subscribes, and the next piece serves its latest subscription.
 */
export class CatchUp {
  readonly #missed: MissedEvents;

  constructor(private readonly parts: CatchUpParts) {
    this.#missed = new MissedEvents(parts.countOf);
  }

  /** Starts at the viewer's position; closes the connection if it has missed too much. */
  begin(viewer: Viewer): void {
    viewer.isCurrent = false;
    viewer.counting = null;
    if (viewer.channels.has("events")) {
      viewer.counting = this.#missed.begin(viewer.position, this.parts.published());
      if (viewer.counting === null) {
        closeTooFarBack(viewer);
        return;
      }
      viewer.eventsSent = this.parts.eventsPublished();
    }
    void this.resume(viewer);
  }

  async resume(viewer: Viewer): Promise<void> {
    if (viewer.isReading) return;
    viewer.isReading = true;
    const { queue, party, onFault } = this.parts;
    try {
      while (isWaiting(viewer) && !this.#isCaughtUp(viewer)) {
        await queue.run(party, () => (isWaiting(viewer) ? this.#piece(viewer) : undefined));
      }
    } catch (fault) {
      onFault(fault);
      // The audience's next refresh resumes this viewer.
      await Bun.sleep(RETRY_AFTER_MS);
    } finally {
      viewer.isReading = false;
    }
  }

  /** Makes the viewer current if everything published was sent to it. */
  #isCaughtUp(viewer: Viewer): boolean {
    if (viewer.position < this.parts.published()) return false;
    viewer.isCurrent = true;
    viewer.counting = null;
    viewer.eventsSent = this.parts.eventsPublished();
    return true;
  }

  #piece(viewer: Viewer): Promise<void> | undefined {
    const { counting } = viewer;
    if (counting === null) return this.#sendPage(viewer);
    if (!this.#missed.advance(counting, MAX_MISSED_EVENTS)) return undefined;
    if (counting.missed > MAX_MISSED_EVENTS) {
      closeTooFarBack(viewer);
      return undefined;
    }
    viewer.counting = null;
    // Events published during the count are not in it.
    viewer.eventsSent -= counting.missed;
    return undefined;
  }

  async #sendPage(viewer: Viewer): Promise<void> {
    const { generation, position } = viewer;
    const { recent, published, log } = this.parts;
    const wants = { events: viewer.channels.has("events"), alerts: viewer.channels.has("alerts") };
    const page = recent().after(position, published()) ?? (await log.page(position, published(), wants));
    // A page read for an older subscription is discarded.
    if (generation !== viewer.generation || !isWaiting(viewer)) return;
    viewer.sendTogether(() => viewer.sendLogs(page));
  }
}

function isWaiting(viewer: Viewer): boolean {
  return viewer.isOpen && !viewer.isCurrent && !viewer.isFull;
}

function closeTooFarBack(viewer: Viewer): void {
  viewer.close(liveCloseCodes.tooFarBack, "too far back: read the web API, then subscribe without since");
}
