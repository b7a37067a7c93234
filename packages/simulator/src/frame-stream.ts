interface FrameStreamOptions {
  /** Pause before each frame; 0 sends as fast as the reader reads. */
  readonly paceMs: number;
  readonly signal: AbortSignal;
  /** Thrown to the reader after the last frame, instead of a proper end. */
  readonly breaksWith?: Error;
  readonly setTimer?: SetTimer;
}

/** Runs `run` after `ms`. Returns what cancels it. */
type SetTimer = (run: () => void, ms: number) => () => void;

const setRealTimer: SetTimer = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

const encoder = new TextEncoder();

/** A server that fails immediately drops unsent data: the reader would see no frame at all. */
const FLUSH_MS = 10;

/** One frame per chunk, created only when the reader pulls. Cancelling or aborting ends it and its timer. */
export function frameStream(
  frames: readonly string[],
  options: FrameStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { paceMs, signal, breaksWith, setTimer = setRealTimer } = options;
  let next = 0;
  let cancelled = false;
  let wake: (() => void) | null = null;
  let onAbort: (() => void) | null = null;
  const pause = async (ms: number) => {
    if (ms <= 0) return;
    await new Promise<void>(resolve => {
      const cancel = setTimer(resolve, ms);
      wake = () => {
        cancel();
        resolve();
      };
    });
    wake = null;
  };
  const release = () => {
    if (onAbort) signal.removeEventListener("abort", onAbort);
    wake?.();
  };
  return new ReadableStream(
    {
      start(controller) {
        onAbort = () => {
          controller.error(signal.reason);
          release();
        };
        if (signal.aborted) onAbort();
        else signal.addEventListener("abort", onAbort, { once: true });
      },
      async pull(controller) {
        const frame = frames[next];
        next += 1;
        await pause(frame === undefined ? Math.max(paceMs, FLUSH_MS) : paceMs);
        if (signal.aborted || cancelled) return;
        if (frame !== undefined) controller.enqueue(encoder.encode(frame));
        if (next < frames.length || (breaksWith && frame !== undefined)) return;
        release();
        if (breaksWith) controller.error(breaksWith);
        else controller.close();
      },
      cancel() {
        cancelled = true;
        release();
      },
    },
    { highWaterMark: 0 },
  );
}
