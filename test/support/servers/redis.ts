/** A real Redis for tests: Debian's own package. If it cannot run, the test fails and says why. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClient } from "bun";
import { installPackage } from "../processes/install-package.ts";
import { eventually } from "../waiting/eventually.ts";
import { freePort } from "./free-port.ts";

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

export async function startRedis(folder = mkdtempSync(join(tmpdir(), "tollgate-redis-"))) {
  if (Bun.which("redis-server") === null) installPackage("redis-server");
  const port = freePort();
  const url = `redis://127.0.0.1:${port}`;
  const start = () =>
    Bun.spawn(
      [
        ...["setpriv", "--pdeathsig=KILL", "redis-server", "--bind", "127.0.0.1", "--port", `${port}`],
        ...["--save", "", "--appendonly", "no", "--dir", folder],
      ],
      { stdout: "ignore", stderr: "ignore" },
    );
  let server = start();

  async function send(command: string, args: string[]): Promise<unknown> {
    const client = new RedisClient(url, { autoReconnect: false });
    try {
      return await client.send(command, args);
    } finally {
      client.close();
    }
  }
  const answers = () =>
    send("PING", []).then(
      () => true,
      () => false,
    );
  const isUp = () => eventually("Redis answers", answers);
  await isUp();

  return {
    url,
    port,
    send,
    /** Without its data. */
    async restart() {
      server = start();
      await isUp();
    },
    async kill() {
      server.kill("SIGKILL");
      await server.exited;
    },
    freeze: () => server.kill("SIGSTOP"),
    thaw: () => server.kill("SIGCONT"),
    async stop() {
      server.kill("SIGKILL");
      await server.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
