import {
  type LiveMessage,
  liveMessage,
  type SubscribedMessage,
  subscribedMessage,
} from "@tollgate/core/contract/live-message";
import type { LiveChannel } from "@tollgate/core/live/live-channels";
import { eventually } from "../waiting/eventually.ts";

export interface WatchOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

export type Watching = Awaited<ReturnType<typeof watch>>;

type Of<Channel extends LiveChannel> = Extract<LiveMessage, { channel: Channel }>;

/** One plain connection to the live channel; every message is validated against its schema. */
export async function watch(url: string, { key, headers, query = "" }: WatchOptions) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/live${query}`, {
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
  });
  const messages: LiveMessage[] = [];
  const errors: string[] = [];
  const acks: SubscribedMessage[] = [];
  let asked = 0;
  let closed: number | null = null;
  socket.onmessage = ({ data }) => {
    const value: unknown = JSON.parse(String(data));
    if (typeof value === "object" && value !== null && "error" in value) errors.push(String(value.error));
    else if (typeof value === "object" && value !== null && "subscribed" in value) {
      acks.push(subscribedMessage.parse(value));
    } else messages.push(liveMessage.parse(value));
  };
  await new Promise<void>(resolve => {
    socket.onopen = () => resolve();
    socket.onclose = ({ code }) => {
      closed = code;
      resolve();
    };
  });
  const say = (wish: Readonly<Record<string, unknown>>) => socket.send(JSON.stringify(wish));
  return {
    messages,
    errors,
    /** Answers to subscriptions that requested one. */
    acks,
    /** The close code; null while the connection is open. */
    get closed() {
      return closed;
    },
    socket,
    of: <Channel extends LiveChannel>(channel: Channel) =>
      messages.filter((message): message is Of<Channel> => message.channel === channel),
    /** Resolves once subscribed: everything from then on is sent, however busy the machine is. */
    async subscribe(channels: readonly LiveChannel[], since?: string | number): Promise<void> {
      const own = ++asked;
      say({ subscribe: channels, since, ack: true });
      await eventually(`the subscription is acknowledged: ${channels}`, () => acks.length >= own);
    },
    /** For a subscription that is refused, or that gets no answer. */
    askFor(channels: readonly LiveChannel[], since?: string | number): void {
      say({ subscribe: channels, since });
    },
    async ended(): Promise<number | null> {
      await eventually("the connection is closed", () => closed !== null);
      return closed;
    },
    async close(): Promise<void> {
      socket.close();
      await eventually("the connection is closed", () => closed !== null);
    },
  };
}

/** Waits for the next message of a channel, and returns it. */
export async function next<Channel extends LiveChannel>(
  watching: Watching,
  channel: Channel,
  does: () => unknown,
): Promise<Of<Channel>> {
  const before = watching.of(channel).length;
  await does();
  await eventually(`a message of ${channel}`, () => watching.of(channel).length > before);
  const found = watching.of(channel)[before];
  if (found === undefined) throw new Error("the message is gone");
  return found;
}
