const startedMs = performance.now();

/** Every step says on stderr that it begins: a bench that is silent for minutes looks like one that hangs. */
export function progress(text: string): void {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(4);
  process.stderr.write(`${seconds} s  ${text}\n`);
}
