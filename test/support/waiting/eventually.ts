/** A safety net for a condition that never becomes true; no test asserts how long something takes. */
const PATIENCE_MS = 540_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;
/** Share of the time waited so far: limits the overhead of a wait, and a long one does not use a whole core. */
const PAUSE_SHARE = 0.1;
/** A condition that asks a server delays what it waits for, if it is asked all the time. */
const PAUSE_PER_CHECK = 4;

/** Polls until the condition is true; the error names the condition. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const from = performance.now();
  let checkedAt = from;
  while (!(await isTrue())) {
    const now = performance.now();
    const waited = now - from;
    if (waited > PATIENCE_MS) throw new Error(`did not happen within ${PATIENCE_MS} ms: ${what}`);
    const pause = Math.max(FIRST_PAUSE_MS, waited * PAUSE_SHARE, (now - checkedAt) * PAUSE_PER_CHECK);
    await Bun.sleep(Math.min(LONGEST_PAUSE_MS, pause));
    checkedAt = performance.now();
  }
}
