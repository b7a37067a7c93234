import { useEffect, useRef, useState } from "react";
import { type LiveEvent, useLiveMessages, useRecentLiveEvents } from "./live.tsx";

interface LiveEventsOptions {
  readonly limit: number;
  /** Whether an event belongs to this list. */
  readonly accepts?: (event: LiveEvent) => boolean;
  /** Paused, events wait, and are counted. */
  readonly isPaused?: boolean;
  /** Begins with those of the last minute: the list that they are added to may have been read too early for them. */
  readonly withRecent?: boolean;
}

interface LiveEvents {
  /** Newest first. */
  readonly events: readonly LiveEvent[];
  /** Ids of those that have just arrived; none where too many arrive to be noticed. */
  readonly fresh: ReadonlySet<string>;
  /** Number of events that wait while paused; at most `limit`. */
  readonly waiting: number;
  /** More came than `limit`: the oldest are missing. */
  readonly isCut: boolean;
}

/** Between two drawings: rows that change more often cannot be read. */
const DRAW_MS = 250;

/** In one drawing. */
const MAX_FRESH = 5;

const nothing: ReadonlySet<string> = new Set();
const none: LiveEvents = { events: [], fresh: nothing, waiting: 0, isCut: false };

/** Calls as they happen. However many arrive, the page draws them a few times a second. */
export function useLiveEvents({
  limit,
  accepts,
  isPaused = false,
  withRecent = false,
}: LiveEventsOptions): LiveEvents {
  const waiting = useRef<LiveEvent[]>([]);
  const isCut = useRef(false);
  const timer = useRef(0);
  const [shown, setShown] = useState<LiveEvents>(none);

  const flush = useRef((paused: boolean) => {
    timer.current = 0;
    if (paused) {
      setShown(shown => ({ ...shown, waiting: waiting.current.length, isCut: isCut.current }));
      return;
    }
    const arrived = waiting.current.reverse();
    waiting.current = [];
    const fresh = arrived.length > MAX_FRESH ? nothing : new Set(arrived.map(({ id }) => id));
    setShown(({ events }) => {
      const all = [...arrived, ...events];
      return { events: all.slice(0, limit), fresh, waiting: 0, isCut: isCut.current || all.length > limit };
    });
  });

  useLiveMessages("events", event => {
    if (accepts && !accepts(event)) return;
    waiting.current.push(event);
    if (waiting.current.length > limit) {
      waiting.current.shift();
      isCut.current = true;
    }
    timer.current ||= window.setTimeout(() => flush.current(isPaused), DRAW_MS);
  });

  const readRecent = useRecentLiveEvents();
  const addRecent = useRef(() => {
    const recent = readRecent().filter(event => accepts === undefined || accepts(event));
    setShown(shown => ({ ...shown, events: [...shown.events, ...recent].slice(0, limit) }));
  });
  // In the same turn as the listener above was added: no event comes between the two.
  useEffect(() => {
    if (withRecent) addRecent.current();
  }, [withRecent]);

  useEffect(() => {
    if (!isPaused && waiting.current.length > 0) flush.current(false);
  }, [isPaused]);

  useEffect(() => () => clearTimeout(timer.current), []);
  return shown;
}
