import { z } from "zod";
import { agentStatuses } from "../agents/status.ts";
import { liveChannels } from "../live/live-channels.ts";
import { alertResource } from "./alerts.ts";
import { eventResource } from "./events.ts";
import { unpricedCalls } from "./fields/cost-sums.ts";
import { isoTime } from "./fields/iso-time.ts";

const channels = z.array(z.enum(liveChannels)).min(1).max(20);

/** Messages from viewers. */
export const viewerMessage = z.union([
  z.strictObject({
    subscribe: channels,
    /** A number is a position of an older version, which cannot be resumed. */
    since: z.union([z.string().min(1).max(100), z.int().min(0)]).optional(),
    /** Asks for an answer (`subscribedMessage`): where the subscription begins, before anything has happened. */
    ack: z.boolean().optional(),
  }),
  z.strictObject({ unsubscribe: channels }),
]);

export type ViewerMessage = z.infer<typeof viewerMessage>;

const sums = z.strictObject({
  calls: z.int(),
  errors: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_microcents: z.int(),
  unpriced_calls: unpricedCalls,
});

const liveTotals = z.strictObject({ today: sums, month: sums, last_30_days: sums });

const liveAgent = z.strictObject({
  id: z.string(),
  agent_key: z.string(),
  name: z.string(),
  status: z.enum(agentStatuses),
  is_paused: z.boolean(),
  last_call_at: isoTime.nullable(),
});

const liveTopology = z.strictObject({
  nodes: z.array(
    z.strictObject({
      agent_id: z.string(),
      agent_key: z.string(),
      name: z.string(),
      call_count: z.int(),
      cost_microcents: z.int(),
      unpriced_calls: unpricedCalls,
    }),
  ),
  edges: z.array(
    z.strictObject({
      from: z.string(),
      to: z.string(),
      count: z.int(),
      cost_microcents: z.int(),
      unpriced_calls: unpricedCalls,
    }),
  ),
  since: isoTime,
});

/** A position in the channel's order, encrypted: two of them cannot be compared. */
const seq = z.string();

/** The answer to a subscription that asked for one: everything after `seq` will be sent. */
export const subscribedMessage = z.strictObject({ subscribed: channels, seq });

export type SubscribedMessage = z.infer<typeof subscribedMessage>;

/** Messages from the server: on one of its channels, or an error about a message it did not understand. */
export const liveMessage = z.discriminatedUnion("channel", [
  z.strictObject({ channel: z.literal("events"), seq, data: eventResource }),
  z.strictObject({ channel: z.literal("totals"), seq, data: liveTotals }),
  z.strictObject({
    channel: z.literal("agents"),
    seq,
    data: z.strictObject({ agents: z.array(liveAgent) }),
  }),
  z.strictObject({ channel: z.literal("alerts"), seq, data: alertResource }),
  z.strictObject({ channel: z.literal("topology"), seq, data: liveTopology }),
]);

export type LiveMessage = z.infer<typeof liveMessage>;
export type LiveTotals = z.infer<typeof liveTotals>;
export type LiveAgent = z.infer<typeof liveAgent>;
export type LiveTopology = z.infer<typeof liveTopology>;
