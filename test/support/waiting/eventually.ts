/** A safety net for a condition that never becomes true; no test asserts how long something takes. */
const PATIENCE_MS = 540_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;
/** Share of the time waited so far: limits the overhead of a wait, and a long one does not use a whole core. */
const PAUSE_SHARE = 0.1;

/** Polls until the condition is true; the error names the condition. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const from = performance.now();
  while (!(await isTrue())) {
    const waited = performance.now() - from;
    if (waited > PATIENCE_MS) throw new Error(`did not happen within ${PATIENCE_MS} ms: ${what}`);
    await Bun.sleep(Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, waited * PAUSE_SHARE)));
  }
}
