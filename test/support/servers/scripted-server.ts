import { createServer, type Socket } from "node:net";
import { type ReceivedRequest, receiveRequest } from "./receive-request.ts";

/** One action on a connection after the request was read. */
export type Step =
  | { readonly do: "write"; readonly bytes: string | Uint8Array }
  /** The same bytes repeatedly, as fast as the other side reads: an endless line, a bomb. */
  | { readonly do: "flood"; readonly bytes: string | Uint8Array; readonly times: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "until"; readonly promise: Promise<unknown> }
  /** RST: what a crashed peer or a firewall sends. */
  | { readonly do: "reset" }
  /** FIN: a proper close, perhaps too early. */
  | { readonly do: "end" }
  /** Sends nothing more and keeps the connection open until the other side gives up. */
  | { readonly do: "hang" };

/** A list for every connection, or a function that selects one by the request and its number (from 0). */
export type Script = readonly Step[] | ((request: ReceivedRequest, at: number) => readonly Step[]);

export interface ScriptedConnection {
  readonly request: ReceivedRequest;
  /** Bytes written to the socket so far. */
  readonly bytesWritten: number;
  /** Resolves once either side has closed the socket. */
  readonly closed: Promise<void>;
  /** `performance.now()` at that time; null while it is open. */
  readonly closedAtMs: number | null;
}

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  /** One per request that was read. A connection answers one request, and then its script ends. */
  readonly connections: readonly ScriptedConnection[];
  /** Number of opened sockets, including those without a request. */
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

/** Waits until the kernel has accepted the bytes, so that a later reset cannot discard them. */
function write(socket: Socket, bytes: string | Uint8Array, closed: Promise<void>): Promise<void> {
  const written = new Promise<void>(resolve => {
    socket.write(bytes, () => resolve());
  });
  return Promise.race([written, closed]);
}
