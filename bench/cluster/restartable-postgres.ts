import { SQL } from "bun";
import { freePort } from "../../test/support/servers/free-port.ts";
import { makePostgres, SERVER_ENVIRONMENT } from "../../test/support/servers/postgres.ts";
import { eventually } from "../../test/support/waiting/eventually.ts";
import { atExit } from "../kit/at-exit.ts";
import { temporaryDirectory } from "../kit/temporary-directory.ts";

const LAST_MS = 300;

export type RestartablePostgres = Awaited<ReturnType<typeof startRestartablePostgres>>;

/** A PostgreSQL that can be stopped and started again. It is as durable as by default: what was committed is there again. */
export async function startRestartablePostgres() {
  const folder = temporaryDirectory("postgres");
  const { postgres, data } = makePostgres(folder);
  const port = freePort();
  const url = `postgres://tollgate@127.0.0.1:${port}/postgres`;
  const settings = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "max_connections=200"];
  const spawn = () =>
    Bun.spawn([...postgres, "-D", data, "-p", String(port), ...settings.flatMap(text => ["-c", text])], {
      env: SERVER_ENVIRONMENT,
      cwd: folder,
      stdio: ["ignore", "ignore", "ignore"],
    });
  let server = spawn();
  atExit(() => {
    if (server.exitCode !== null) return;
    server.kill("SIGQUIT");
    // Its files are deleted next.
    Bun.sleepSync(LAST_MS);
  });

  async function query<Row>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    // Its own connection, because one of a pool may have ended with the server.
    const client = new SQL(url, { max: 1 });
    try {
      // The statement describes its rows.
      return [...(await client.unsafe(statement, [...values]))] as Row[];
    } finally {
      await client.close({ timeout: 0 });
    }
  }
  const answers = () =>
    query("SELECT 1").then(
      () => true,
      () => false,
    );
  const isUp = () =>
    eventually("PostgreSQL answers", async () => {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`);
      return await answers();
    });
  await isUp();

  return {
    url,
    port,
    query,
    /** An immediate shutdown: no session ends in order, and the next start has to recover. */
    async stop() {
      server.kill("SIGQUIT");
      await server.exited;
    },
    async start() {
      server = spawn();
      await isUp();
    },
  };
}
