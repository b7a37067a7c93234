const PATIENCE_MS = 1000;

/**
 * Bun starts the thread of its HTTP client with the first request, and ends the process if no file descriptor is left
 * for it. Before there are clients, there is one. Nothing listens on port 0, so this sends nothing.
 */
export async function startHttpClient(): Promise<void> {
  try {
    await fetch("http://127.0.0.1:0/", { signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch {
    // Refused, as intended.
  }
}
