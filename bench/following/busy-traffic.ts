import type { Event } from "@tollgate/core/event";
import { sampleTraffic } from "../data/sample-traffic.ts";
import { PRICE_VERSION } from "./write-rate-card.ts";

const EVENTS_PER_SECOND = 5000;
const DAY_SECONDS = 86_400;
/** One in five prompts is sent again. */
const DIFFERENT_PROMPTS = 0.8;

/** The traffic of a busy gateway: the same fleet as in the analytics bench, but within minutes, and with prompt hashes. */
export function* busyTraffic(events: number, end: number): Generator<Event> {
  const days = events / EVENTS_PER_SECOND / DAY_SECONDS;
  let index = 0;
  for (const event of sampleTraffic(events, end, days)) {
    yield {
      ...event,
      price_version: PRICE_VERSION,
      request_hash: `request-${Math.floor(index++ * DIFFERENT_PROMPTS)}`,
      prefix_hash: `prefix-${event.agent_key}`,
    };
  }
}
