import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** Forwards connections to a server, and can cut or stall all of them, as a network would. */
export async function startTcpProxy(target: { readonly host: string; readonly port: number }) {
  let state: "open" | "cut" | "stalled" = "open";
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  const server = createServer(near => {
    sockets.add(near);
    near.on("error", () => {});
    near.on("close", () => sockets.delete(near));
    if (state === "cut") {
      near.destroy();
      return;
    }
    const far = connectTo(target.port, target.host);
    sockets.add(far);
    far.on("error", () => near.destroy());
    far.on("close", () => {
      sockets.delete(far);
      near.destroy();
    });
    near.on("close", () => far.destroy());
    forward(near, far);
    forward(far, near);
  });

  function forward(from: Socket, to: Socket): void {
    from.on("data", data => {
      const send = () => void (to.destroyed || to.write(data));
      if (state === "stalled") held.push(send);
      else send();
    });
  }

  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Ends all connections, and refuses new ones. */
    cut() {
      state = "cut";
      for (const socket of sockets) socket.destroy();
    },
    /** Connections stay open, but nothing gets through. */
    stall() {
      state = "stalled";
    },
    open() {
      state = "open";
      for (const send of held.splice(0)) send();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
