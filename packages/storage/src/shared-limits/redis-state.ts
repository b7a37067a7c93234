import { RedisClient } from "bun";

const SLOW_MS = 100;
const MAX_WAIT_MS = 1000;

/** For `GET /api/health`: asks Redis anew each time, because nothing else here uses it. */
export async function redisState(url: string): Promise<"ok" | "degraded" | "down"> {
  const client = new RedisClient(url, { connectionTimeout: MAX_WAIT_MS, autoReconnect: false });
  const startedAt = performance.now();
  const late = Promise.withResolvers<"down">();
  const timer = setTimeout(() => late.resolve("down"), MAX_WAIT_MS);
  const answered = client.send("PING", []).then(
    () => (performance.now() - startedAt > SLOW_MS ? "degraded" : "ok"),
    () => "down" as const,
  );
  try {
    return await Promise.race([answered, late.promise]);
  } finally {
    clearTimeout(timer);
    client.close();
  }
}
