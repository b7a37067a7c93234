const startedMs = performance.now();

/** Every step announces itself on stderr: a bench that is silent for minutes seems to hang. */
export function progress(text: string): void {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(4);
  process.stderr.write(`${seconds} s  ${text}\n`);
}
