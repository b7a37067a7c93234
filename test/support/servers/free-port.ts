/** Below the range of ephemeral ports: any other program could be given one of those before it is used, or used again. */
export function freePort(): number {
  for (;;) {
    const port = 10_240 + Math.floor(Math.random() * 20_000);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, exclusive: true, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Already in use.
    }
  }
}
