const PATIENCE_MS = 1000;

/**
 * Bun starts the thread of its HTTP client with the first request, and ends the process if no file descriptor is left
 * for it. Before there are clients, there is one. No socket has this path, so this sends nothing; an address would be
 * asked for at the proxy, if the environment names one.
 */
export async function startHttpClient(): Promise<void> {
  try {
    await fetch("http://localhost/", { unix: "/dev/null/none", signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch {
    // Refused, as intended.
  }
}
