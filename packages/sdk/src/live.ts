import type { LiveMessage, SubscribedMessage } from "@tollgate/core/contract/live-message";
import type { Mode } from "@tollgate/core/event";
import { type LiveChannel, liveCloseCodes } from "@tollgate/core/live/live-channels";

export interface LiveOptions {
  /** Address of the web API, such as http://127.0.0.1:3000 */
  readonly baseUrl: string;
  /** Omitted in a browser, which sends the session's cookie. */
  readonly apiKey?: string;
  /** With a session: whether live or test traffic is watched, and of which organization. A key determines both. */
  readonly mode?: Mode;
  readonly organizationId?: string;
  readonly channels: readonly LiveChannel[];
  /** Resumes after this `seq`; absent: starts now. */
  readonly since?: string;
  readonly onMessage: (message: LiveMessage) => void;
  readonly onState?: (state: "live" | "reconnecting") => void;
  /** Too much was missed to resume: read the web API. Messages continue from now. */
  readonly onGap?: () => void;
  /** The server closed the connection for good; `code` says why (`docs/live.md`). */
  readonly onEnd?: (code: number) => void;
}

export interface LiveSubscription {
  /** The last `seq` received, at first the starting position; null: not subscribed yet. */
  readonly seq: string | null;
  close(): void;
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 15_000;

/** Reconnecting would be refused again. */
const final: readonly number[] = [
  liveCloseCodes.badMessages,
  liveCloseCodes.credentialEnded,
  liveCloseCodes.organizationInactive,
];

/** Watches the live channel, and resumes after the last `seq` whenever the connection is lost. */
export function watchLive(options: LiveOptions): LiveSubscription {
  const url = addressOf(options);
  let seq = options.since ?? null;
  let attempts = 0;
  let isClosed = false;
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    const opened = openSocket(url, options.apiKey);
    socket = opened;
    opened.onopen = () => {
      // The acknowledgement has the starting position, so losing the connection before the first message is safe.
      const since = seq === null ? {} : { since: seq };
      opened.send(JSON.stringify({ subscribe: options.channels, ack: true, ...since }));
      options.onState?.("live");
    };
    opened.onmessage = ({ data }) => {
      const message = read(data);
      if (message === null) return;
      // Messages arrive in order; a seq is opaque and cannot be compared.
      seq = message.seq;
      if (!("channel" in message)) return;
      attempts = 0;
      options.onMessage(message);
    };
    opened.onclose = ({ code }) => {
      if (isClosed) return;
      if (final.includes(code)) {
        isClosed = true;
        options.onEnd?.(code);
        return;
      }
      if (code === liveCloseCodes.tooFarBack) {
        seq = null;
        options.onGap?.();
      }
      options.onState?.("reconnecting");
      const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts++);
      // With jitter, or all viewers would reconnect to a restarted server at the same time.
      timer = setTimeout(connect, pause * (0.5 + Math.random() / 2));
    };
  }

  connect();
  return {
    get seq() {
      return seq;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}

function addressOf({ baseUrl, mode, organizationId }: LiveOptions): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, "").replace(/^http/, "ws")}/api/live`);
  if (mode !== undefined) url.searchParams.set("mode", mode);
  if (organizationId !== undefined) url.searchParams.set("organization_id", organizationId);
  return url.href;
}

/** Runtimes outside browsers accept headers, which the type of a browser's constructor does not know. */
type SocketWithHeaders = new (url: string, init: { headers: Record<string, string> }) => WebSocket;

function openSocket(url: string, apiKey: string | undefined): WebSocket {
  if (apiKey === undefined) return new WebSocket(url);
  const Socket = WebSocket as unknown as SocketWithHeaders;
  return new Socket(url, { headers: { authorization: `Bearer ${apiKey}` } });
}

function read(data: unknown): LiveMessage | SubscribedMessage | null {
  if (typeof data !== "string") return null;
  const value: unknown = JSON.parse(data);
  const isMessage =
    typeof value === "object" && value !== null && ("channel" in value || "subscribed" in value);
  // The server's types and tests guarantee the shape of a message; anything else is an error.
  return isMessage ? (value as LiveMessage | SubscribedMessage) : null;
}
