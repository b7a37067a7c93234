import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** Forwards connections to a server, and can cut, stall, delay or reset them, as a network would. */
export async function startTcpProxy(target: { readonly host: string; readonly port: number }, port = 0) {
  let state: "open" | "cut" | "stalled" = "open";
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let delayMs = 0;
  let isReset = () => false;
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
    forward(near, far, () => false);
    forward(far, near, () => isReset());
  });

  function forward(from: Socket, to: Socket, mustReset: () => boolean): void {
    // Whichever timer fires, the oldest piece is next: a shorter delay must not reorder them.
    const delayed: Buffer[] = [];
    const sendNext = () => {
      const data = delayed.shift();
      if (data !== undefined && !to.destroyed) to.write(data);
    };
    from.on("data", (data: Buffer) => {
      if (mustReset()) {
        from.resetAndDestroy();
        to.resetAndDestroy();
        return;
      }
      delayed.push(data);
      if (state === "stalled") held.push(sendNext);
      else if (delayMs > 0 || delayed.length > 1) setTimeout(sendNext, delayMs);
      else sendNext();
    });
  }

  await new Promise<void>(resolve => server.listen(port, "127.0.0.1", resolve));
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
    /** Everything arrives this much later, in both directions. */
    delay(ms: number) {
      delayMs = ms;
    },
    /** Asked for each piece of an answer: true resets its connection instead. */
    resetAnswersIf(chance: () => boolean) {
      isReset = chance;
    },
    open() {
      state = "open";
      delayMs = 0;
      isReset = () => false;
      for (const send of held.splice(0)) send();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
