import { expect, it } from "bun:test";
import { askServer } from "./ask-server.ts";

it("says in plain words that a server cannot be reached", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("fine") });
  const url = server.url.href;
  expect(await (await askServer(new Request(url))).text()).toBe("fine");
  await server.stop(true);
  await expect(askServer(new Request(url))).rejects.toThrow(
    /^The server cannot be reached\. Check that it is running/,
  );
});

it("says in plain words that a server did not answer in time", async () => {
  const { promise: never } = Promise.withResolvers<Response>();
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => never });
  try {
    const late = askServer(new Request(server.url, { signal: AbortSignal.timeout(1) }));
    await expect(late).rejects.toThrow(/^The server did not answer in time$/);
  } finally {
    await server.stop(true);
  }
});
