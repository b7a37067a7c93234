import { createServer, type Socket } from "node:net";
import { type ReceivedRequest, receiveRequest } from "./receive-request.ts";

/** One thing that the fake does on a connection once it has read the request. */
export type Step =
  | { readonly do: "write"; readonly bytes: string | Uint8Array }
  /** The same bytes again and again, as fast as the other side reads: an endless line, a bomb. */
  | { readonly do: "flood"; readonly bytes: string | Uint8Array; readonly times: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "until"; readonly promise: Promise<unknown> }
  /** RST: what a crashed peer or a firewall sends. */
  | { readonly do: "reset" }
  /** FIN: a proper end, though perhaps too early. */
  | { readonly do: "end" }
  /** Says nothing more and keeps the connection open until the other side gives up. */
  | { readonly do: "hang" };

/** A list for every connection, or a function that chooses one by the request and its number (from 0). */
export type Script = readonly Step[] | ((request: ReceivedRequest, at: number) => readonly Step[]);

export interface ScriptedConnection {
  readonly request: ReceivedRequest;
  /** Bytes that were handed to the socket so far. */
  readonly bytesWritten: number;
  /** Resolves once the socket is closed, whoever closed it. */
  readonly closed: Promise<void>;
  /** `performance.now()` of that moment; null while it is open. */
  readonly closedAtMs: number | null;
}

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  /** One for each request that was read. A connection answers one request: the script ends with it. */
  readonly connections: readonly ScriptedConnection[];
  /** Sockets that were opened, those that never sent a request included. */
  readonly opened: number;
  stop(): Promise<void>;
}

/** A raw HTTP/1.1 server for everything that a proper one would never do. */
export async function serveScript(script: Script): Promise<ScriptedServer> {
  const connections: ScriptedConnection[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  const server = createServer({ noDelay: true }, socket => {
    opened += 1;
    sockets.add(socket);
    let closedAtMs: number | null = null;
    const closed = new Promise<void>(resolve => {
      socket.once("close", () => {
        closedAtMs = performance.now();
        sockets.delete(socket);
        resolve();
      });
    });
    // A peer that disconnects is part of the test; `close` follows and reports it.
    socket.on("error", () => {});
    receiveRequest(socket).then(
      request => {
        const steps = typeof script === "function" ? script(request, connections.length) : script;
        connections.push({
          request,
          closed,
          get bytesWritten() {
            return socket.bytesWritten;
          },
          get closedAtMs() {
            return closedAtMs;
          },
        });
        return play(steps, socket, closed);
      },
      () => socket.destroy(),
    );
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections,
    get opened() {
      return opened;
    },
    stop() {
      const stopped = new Promise<void>(resolve => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return stopped;
    },
  };
}

async function play(steps: readonly Step[], socket: Socket, closed: Promise<void>): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return;
    switch (step.do) {
      case "write":
        await write(socket, step.bytes, closed);
        break;
      case "flood":
        for (let times = 0; times < step.times && !socket.destroyed; times += 1) {
          await write(socket, step.bytes, closed);
        }
        break;
      case "wait":
        await Promise.race([Bun.sleep(step.ms), closed]);
        break;
      case "until":
        await Promise.race([step.promise, closed]);
        break;
      case "reset":
        socket.resetAndDestroy();
        return;
      case "end":
        socket.end();
        return;
      case "hang":
        return closed;
    }
  }
  socket.end();
}

/** Waits until the kernel took the bytes, so that a reset after it cannot take them back. */
function write(socket: Socket, bytes: string | Uint8Array, closed: Promise<void>): Promise<void> {
  const written = new Promise<void>(resolve => {
    socket.write(bytes, () => resolve());
  });
  return Promise.race([written, closed]);
}
