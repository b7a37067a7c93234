export interface FrameStreamOptions {
  /** Pause before each frame; 0 sends as fast as the reader reads. */
  readonly paceMs: number;
  readonly signal: AbortSignal;
  /** Thrown to the reader after the last frame, in place of a proper end. */
  readonly breaksWith?: Error;
}

const encoder = new TextEncoder();

/** One frame a chunk, made only when the reader asks for it. Cancelling or aborting ends it, its timer included. */
export function frameStream(
  frames: readonly string[],
  options: FrameStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { paceMs, signal, breaksWith } = options;
  let next = 0;
  let wake: (() => void) | null = null;
  let onAbort: (() => void) | null = null;
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
        if (paceMs > 0) {
          await new Promise<void>(resolve => {
            const timer = setTimeout(resolve, paceMs);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
          wake = null;
        }
        if (signal.aborted) return;
        const frame = frames[next];
        next += 1;
        if (frame !== undefined) {
          controller.enqueue(encoder.encode(frame));
          if (next < frames.length || breaksWith) return;
          release();
          controller.close();
          return;
        }
        release();
        if (breaksWith) controller.error(breaksWith);
        else controller.close();
      },
      cancel: release,
    },
    { highWaterMark: 0 },
  );
}
