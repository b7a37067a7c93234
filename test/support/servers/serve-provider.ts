import type { ProviderId } from "@tollgate/core/provider-id";
import { ConnectionFault } from "@tollgate/simulator/connection-fault";
import { type SimulateOptions, simulate } from "@tollgate/simulator/simulate";

export interface RecordedRequest {
  readonly method: string;
  /** Including its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; the text itself if it is not JSON; null without a body. */
  readonly body: unknown;
  readonly text: string;
  /** Resolves if the caller disconnected before the answer was complete. */
  readonly abandoned: Promise<void>;
}

export interface ServeProviderOptions extends SimulateOptions {
  /** Answers instead of the simulator; undefined leaves the request to it. */
  readonly answer?: (
    request: Request,
    recorded: RecordedRequest,
  ) => Response | Promise<Response | undefined> | undefined;
  /** false: only counts. For benches, where a list of every request would distort the measured memory. */
  readonly records?: boolean;
}

export interface ServedProvider {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly count: number;
  stop(): Promise<void>;
}

/** The simulator behind a real socket on loopback. Sends as fast as it is read unless `paceMs` is given. */
export function serveProvider(provider: ProviderId, options: ServeProviderOptions = {}): ServedProvider {
  const requests: RecordedRequest[] = [];
  const { answer, records = true } = options;
  let count = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    // Otherwise Bun answers a refused connection with an error page.
    development: false,
    async fetch(incoming) {
      count += 1;
      const text = await incoming.text();
      // A body can be read only once: the callback gets its own copy of the request.
      const copy = () =>
        new Request(incoming.url, {
          method: incoming.method,
          headers: incoming.headers,
          signal: incoming.signal,
          ...(text === "" ? {} : { body: text }),
        });
      try {
        if (records || answer) {
          const recorded = record(incoming, text);
          if (records) requests.push(recorded);
          const given = await answer?.(copy(), recorded);
          if (given) return given;
        }
        return await simulate(provider, copy(), { paceMs: 0, ...options });
      } catch (error) {
        if (error instanceof ConnectionFault) return brokenConnection();
        if (incoming.signal.aborted) return new Response(null, { status: 499 });
        throw error;
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    get count() {
      return count;
    },
    stop: () => server.stop(true),
  };
}

/** A body that fails before its first byte makes Bun reset the connection: the caller gets no answer at all. */
function brokenConnection(): Response {
  return new Response(new ReadableStream({ pull: controller => controller.error() }));
}

function record(request: Request, text: string): RecordedRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname + url.search,
    headers: Object.fromEntries(request.headers),
    body: parse(text),
    text,
    abandoned: new Promise(resolve => {
      if (request.signal.aborted) resolve();
      else request.signal.addEventListener("abort", () => resolve(), { once: true });
    }),
  };
}

function parse(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
