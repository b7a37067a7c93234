/** A safety net for a condition that never comes true; no test asserts how long something takes. */
const PATIENCE_MS = 240_000;

/** Polls until the condition is true; the error names the condition that never was. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (performance.now() > until) throw new Error(`did not happen within ${PATIENCE_MS} ms: ${what}`);
    await Bun.sleep(5);
  }
}
