/** A safety net for a condition that never comes true; no test asserts how long something takes. */
const PATIENCE_MS = 240_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;
/** Of the time waited so far: it never adds more than this to a wait, and a long one does not cost a core. */
const PAUSE_SHARE = 0.1;

/** Polls until the condition is true; the error names the condition that never was. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const from = performance.now();
  while (!(await isTrue())) {
    const waited = performance.now() - from;
    if (waited > PATIENCE_MS) throw new Error(`did not happen within ${PATIENCE_MS} ms: ${what}`);
    await Bun.sleep(Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, waited * PAUSE_SHARE)));
  }
}
