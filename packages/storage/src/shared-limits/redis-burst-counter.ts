import { RedisClient } from "bun";
import { type Scope, scopeName } from "../ledger/scope.ts";
import type { BurstAnswer, BurstCounter } from "./burst-counter.ts";

const WINDOW_MS = 60_000;
const CONNECT_WITHIN_MS = 1000;

/** When Redis began to count. It is missing after Redis was emptied, or restarted without its data. */
export const COUNTING_SINCE = "tollgate:burst:since";

/**
 * An exact sliding window: one member for each admitted call, scored by its time. Redis' own clock decides, so the
 * clocks of nodes do not matter. If it was set back, or another server took over, calls move with it: otherwise they would
 * count until it catches up. Running as one script, no two nodes can take the same slot.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[3])
local since = tonumber(redis.call('GET', KEYS[2]))
if not since or since > now then
  since = now
  redis.call('SET', KEYS[2], string.format('%d', now))
end
for _, slot in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%d', now), '+inf')) do
  redis.call('ZADD', KEYS[1], now, slot)
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local used = redis.call('ZCARD', KEYS[1])
local admitted = used < limit and 1 or 0
if admitted == 1 then
  redis.call('ZADD', KEYS[1], now, ARGV[2])
  redis.call('PEXPIRE', KEYS[1], window)
  used = used + 1
end
local leaving = math.max(0, used - limit)
local first = redis.call('ZRANGE', KEYS[1], leaving, leaving, 'WITHSCORES')
return { admitted, used, math.max(0, tonumber(first[2]) + window - now), math.max(0, now - since) }
`;

export class RedisBurstCounter implements BurstCounter {
  #client: RedisClient | null = null;
  #scriptHash = "";

  constructor(
    private readonly url: string,
    private readonly connectWithinMs = CONNECT_WITHIN_MS,
  ) {}

  async take(scope: Scope, slot: string, limit: number): Promise<BurstAnswer> {
    const answer = await evaluate(this.#connected(), this.#scriptHash, keyOf(scope), slot, limit);
    const [admitted, used, waitMs, ageMs] = toNumbers(answer);
    return { isAdmitted: admitted === 1, used, waitMs, ageMs };
  }

  async giveBack(scope: Scope, slot: string): Promise<void> {
    await this.#connected().send("ZREM", [keyOf(scope), slot]);
  }

  async reconnect(): Promise<void> {
    this.disconnect();
    // A new client, not a reconnected one: answers to questions that were given up must not be mistaken for new ones.
    const client = new RedisClient(this.url, {
      connectionTimeout: this.connectWithinMs,
      autoReconnect: false,
      enableOfflineQueue: false,
    });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("Redis does not answer")), this.connectWithinMs);
    try {
      this.#scriptHash = await Promise.race([prepare(client), late.promise]);
      this.#client = client;
    } catch (fault) {
      client.close();
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  disconnect(): void {
    this.#client?.close();
    this.#client = null;
  }

  #connected(): RedisClient {
    if (this.#client === null) throw new Error("there is no connection to Redis");
    return this.#client;
  }
}

/** Also writes: a replica, or a Redis without memory, answers but cannot count. */
async function prepare(client: RedisClient): Promise<string> {
  await client.connect();
  const scriptHash = String(await client.send("SCRIPT", ["LOAD", takeScript]));
  await evaluate(client, scriptHash, "tollgate:burst:probe", "probe", 1);
  return scriptHash;
}

async function evaluate(
  client: RedisClient,
  scriptHash: string,
  key: string,
  slot: string,
  limit: number,
): Promise<unknown> {
  const keys = ["2", key, COUNTING_SINCE];
  return await client.send("EVALSHA", [scriptHash, ...keys, String(limit), slot, String(WINDOW_MS)]);
}

const keyOf = (scope: Scope) => `tollgate:burst:${scopeName(scope)}`;

function toNumbers(answer: unknown): readonly [number, number, number, number] {
  const [admitted, used, waitMs, ageMs] = Array.isArray(answer) ? answer.map(Number) : [];
  if (admitted === undefined || used === undefined || waitMs === undefined || ageMs === undefined) {
    throw new Error("Redis gave an unexpected answer");
  }
  return [admitted, used, waitMs, ageMs];
}
