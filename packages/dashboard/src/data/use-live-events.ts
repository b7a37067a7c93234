import { useEffect, useRef, useState } from "react";
import { type LiveEvent, useLiveMessages } from "./live.tsx";

interface LiveEventsOptions {
  readonly limit: number;
  /** Whether an event belongs to this list. */
  readonly accepts?: (event: LiveEvent) => boolean;
  /** Paused, events wait, and are counted. */
  readonly isPaused?: boolean;
}

interface LiveEvents {
  /** Newest first. */
  readonly events: readonly LiveEvent[];
  /** How many wait while paused; at most `limit`. */
  readonly waiting: number;
}

const none: LiveEvents = { events: [], waiting: 0 };

/** Calls as they happen. However many arrive, the page draws them once a frame. */
export function useLiveEvents({ limit, accepts, isPaused = false }: LiveEventsOptions): LiveEvents {
  const waiting = useRef<LiveEvent[]>([]);
  const frame = useRef(0);
  const [shown, setShown] = useState<LiveEvents>(none);

  const flush = useRef((paused: boolean) => {
    frame.current = 0;
    if (paused) {
      setShown(({ events }) => ({ events, waiting: waiting.current.length }));
      return;
    }
    const arrived = waiting.current.reverse();
    waiting.current = [];
    setShown(({ events }) => ({ events: [...arrived, ...events].slice(0, limit), waiting: 0 }));
  });

  useLiveMessages("events", event => {
    if (accepts && !accepts(event)) return;
    waiting.current.push(event);
    if (waiting.current.length > limit) waiting.current.shift();
    frame.current ||= requestAnimationFrame(() => flush.current(isPaused));
  });

  useEffect(() => {
    if (!isPaused && waiting.current.length > 0) flush.current(false);
  }, [isPaused]);

  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return shown;
}
