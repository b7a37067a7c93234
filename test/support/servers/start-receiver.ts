export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Slack, Telegram or a customer's backend, on loopback: records requests and answers as scripted. */
export function startReceiver(answer: (request: ReceivedRequest) => Response | Promise<Response>) {
  const received: ReceivedRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const kept = {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        text: await request.text(),
      };
      received.push(kept);
      return await answer(kept);
    },
  });
  return {
    port: Number(server.port),
    url: `http://127.0.0.1:${server.port}`,
    received,
    stop: () => server.stop(true),
  };
}
