import { afterAll, describe, expect, it } from "bun:test";
import { createServer, type Socket } from "node:net";
import { GuardedClient, type Resolve } from "./guarded-client.ts";
import { OutgoingFault } from "./outgoing-fault.ts";
import { TargetGuard } from "./target-guard.ts";

const undo: (() => unknown)[] = [];
afterAll(() => {
  for (const step of undo) step();
});

/** Answers each request with the number of its connection, and then treats the connection as the test specifies. */
async function countingServer(onRequest: (socket: Socket, connection: number, request: number) => boolean) {
  let connections = 0;
  let requests = 0;
  const server = createServer(socket => {
    const connection = ++connections;
    socket.on("error", () => {});
    socket.on("data", () => {
      if (!onRequest(socket, connection, ++requests)) return;
      const text = String(connection);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    });
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", () => resolve()));
  undo.push(() => server.close());
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  return { port, requests: () => requests };
}

const client = (resolve?: Resolve, timeoutMs = 60_000) =>
  new GuardedClient({ guard: TargetGuard.of("127.0.0.0/8"), timeoutMs, ...(resolve && { resolve }) });

describe("a connection", () => {
  it("is kept for the next request to the same address", async () => {
    const { port } = await countingServer(() => true);
    const one = client();
    const url = `http://127.0.0.1:${port}/`;
    expect((await one.post(url, "a", {})).text).toBe("1");
    expect((await one.post(url, "b", {})).text).toBe("1");
  });

  it("SEC-005 to other addresses than the name has now is not reused, and a private address is refused", async () => {
    const { port } = await countingServer(() => true);
    let meaning = "127.0.0.1";
    const one = client(async () => [{ address: meaning, family: 4 }]);
    const url = `http://hooks.example:${port}/`;
    expect((await one.post(url, "a", {})).text).toBe("1");
    meaning = "10.0.0.1";
    const refused = await one.post(url, "b", {}).catch(fault => fault);
    expect(refused instanceof OutgoingFault && refused.kind).toBe("refused");
    meaning = "127.0.0.2";
    // Nothing listens there: if the kept connection had been used, there would be an answer.
    const unreachable = await one.post(url, "c", {}).catch(fault => fault);
    expect(unreachable instanceof OutgoingFault && unreachable.kind).toBe("unreachable");
  });

  it("that was kept alive and closes during a request is not a failure: the request is retried once on a new one", async () => {
    const { port, requests } = await countingServer((socket, connection, request) => {
      if (connection === 1 && request === 2) socket.destroy();
      return !socket.destroyed;
    });
    const one = client();
    const url = `http://127.0.0.1:${port}/`;
    expect((await one.post(url, "a", {})).text).toBe("1");
    expect((await one.post(url, "b", {})).text).toBe("2");
    expect(requests()).toBe(3);
  });

  it("that times out is not retried", async () => {
    const { port, requests } = await countingServer((_, __, request) => request === 1);
    // Long enough for the first answer and for every request to arrive, even on a busy machine.
    const one = client(undefined, 3000);
    const url = `http://127.0.0.1:${port}/`;
    await one.post(url, "a", {});
    const late = await one.post(url, "b", {}).catch(fault => fault);
    expect(late instanceof OutgoingFault && late.kind).toBe("timeout");
    expect((await one.post(url, "c", {}).catch(fault => fault)).kind).toBe("timeout");
    expect(requests()).toBe(3);
  });
});
