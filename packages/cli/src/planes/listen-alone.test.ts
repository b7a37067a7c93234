import { afterEach, describe, expect, it } from "bun:test";
import { UsageError } from "../config/usage-error.ts";
import { listenAlone } from "./listen-alone.ts";

const servers: Bun.Server<undefined>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

function serve(hostname: string, port: number): Bun.Server<undefined> {
  const server = Bun.serve({
    hostname,
    port,
    reusePort: false,
    development: false,
    fetch: () => new Response(),
  });
  servers.push(server);
  return server;
}

describe("listenAlone", () => {
  it("refuses a name if one of its addresses is in use, although a server could bind the other one", async () => {
    const port = serve("127.0.0.1", 0).port ?? 0;
    const place = { host: "both.invalid", port, variable: "SVC_WEB_PORT" } as const;
    const both = async () => [{ address: "127.0.0.2" }, { address: "127.0.0.1" }];
    const start = async () => serve("127.0.0.2", port);
    await expect(listenAlone(place, start, both)).rejects.toThrow(
      new UsageError(
        `port ${port} of both.invalid is in use by another program: stop it, or set SVC_WEB_PORT to another port`,
      ),
    );
    expect(servers.length).toBe(1);
    const free = async () => [{ address: "127.0.0.2" }];
    expect((await listenAlone(place, start, free)).port).toBe(port);
  });

  it("names the setting if the port or the host cannot be used", async () => {
    const port = serve("127.0.0.1", 0).port ?? 0;
    const taken = { host: "127.0.0.1", port, variable: "SVC_GATEWAY_PORT" } as const;
    await expect(listenAlone(taken, async () => serve("127.0.0.1", port))).rejects.toThrow(
      "set SVC_GATEWAY_PORT",
    );
    const elsewhere = { host: "192.0.2.1", port, variable: "SVC_WEB_PORT" } as const;
    const fault = Object.assign(new Error("no such address"), { code: "EADDRNOTAVAIL" });
    await expect(listenAlone(elsewhere, () => Promise.reject(fault))).rejects.toThrow(
      "192.0.2.1 is not an address of this machine",
    );
    const unknown = { host: "unknown.invalid", port, variable: "SVC_WEB_PORT" } as const;
    await expect(listenAlone(unknown, async () => serve(unknown.host, port))).rejects.toThrow(
      /^cannot listen on unknown\.invalid .* set SVC_HOST/,
    );
  });
});
