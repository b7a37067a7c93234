/**
 * A real PostgreSQL for tests: Debian's own package, one temporary server per test process, a fresh database per test.
 * If it cannot run, the test fails and says why: nothing is silently skipped.
 */
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { installPackage } from "../processes/install-package.ts";
import { freePort } from "./free-port.ts";

export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  drop(): Promise<void>;
}

interface Server {
  readonly url: (database: string) => string;
  readonly admin: SQL;
  /** The option of CREATE DATABASE that copies files: half the work of the default, which logs every page. */
  readonly copying: string;
}

const START_PATIENCE_MS = 540_000;
export const SERVER_ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" };

let server: Promise<Server> | undefined;
let made = 0;

/** PostgreSQL waits only five seconds for the last connection to end. */
async function whenUnused(admin: SQL, statement: string): Promise<void> {
  for (;;) {
    try {
      await admin.unsafe(statement);
      return;
    } catch (fault) {
      if (!String(fault).includes("being accessed by other users")) throw fault;
    }
  }
}

/** A database on this test process's server: empty, or a copy of another one without connections. */
export async function freshPostgres(template = "template1"): Promise<TestDatabase> {
  server ??= startServer();
  const { admin, url, copying } = await server;
  const name = `test_${process.pid}_${++made}`;
  await whenUnused(admin, `CREATE DATABASE ${name} TEMPLATE ${template} ${copying}`);
  return {
    name,
    url: url(name),
    drop: async () => {
      await whenUnused(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function startServer(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-postgres-"));
  const { postgres, data } = makePostgres(folder);
  for (;;) {
    const started = await serve(freePort(), folder, data, postgres);
    if (started) return started;
  }
}

/** Creates an empty database cluster in the folder. Returns the command that serves it, without its options. */
export function makePostgres(folder: string): {
  readonly postgres: readonly string[];
  readonly data: string;
} {
  const binaries = findBinaries() ?? installPostgres();
  const asUser = otherUser(folder);
  const data = join(folder, "data");
  const made = Bun.spawnSync(
    [
      ...asUser,
      join(binaries, "initdb"),
      "-D",
      data,
      "-U",
      "tollgate",
      "--auth=trust",
      "-E",
      "UTF8",
      "--no-sync",
    ],
    { env: SERVER_ENVIRONMENT, cwd: folder },
  );
  if (made.exitCode !== 0) throw new Error(`PostgreSQL cannot be set up: ${made.stderr.toString().trim()}`);
  return { postgres: [...asUser, join(binaries, "postgres")], data };
}

/** null: another process took the port after we chose it. */
async function serve(
  port: number,
  folder: string,
  data: string,
  postgres: readonly string[],
): Promise<Server | null> {
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=200",
  ];
  const log = join(folder, `log-${port}`);
  const command = [...postgres, "-D", data, "-p", `${port}`];
  // A shell outside our process tree outlives us by a moment, however we end: it stops the server and cleans up.
  Bun.spawnSync(
    [
      "setsid",
      "--fork",
      "sh",
      "-c",
      `owner=$1; folder=$2; log=$3; shift 3; "$@" 2> "$log" & server=$!
       tail --pid="$owner" --follow /dev/null; kill -QUIT $server; wait $server; rm -rf "$folder"`,
      "sh",
      String(process.pid),
      folder,
      log,
      ...command,
      ...settings.flatMap(text => ["-c", text]),
    ],
    { env: SERVER_ENVIRONMENT, cwd: folder, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
  const url = (database: string) => `postgres://tollgate@127.0.0.1:${port}/${database}`;
  const admin = await connect(url("postgres"), data, log);
  if (admin === null) return null;
  const [version] = await admin.unsafe("SHOW server_version_num");
  // Older ones have no such option, because they always copy files.
  const copying = Number(version?.server_version_num) >= 150_000 ? "STRATEGY FILE_COPY" : "";
  return { url, admin, copying };
}

async function connect(url: string, data: string, log: string): Promise<SQL | null> {
  const deadline = performance.now() + START_PATIENCE_MS;
  for (;;) {
    const admin = new SQL(url, { max: 1, idleTimeout: 0 });
    try {
      const [answer] = await admin.unsafe("SHOW data_directory");
      if (answer?.data_directory === data) return admin;
      await admin.close();
      return null;
    } catch (fault) {
      await admin.close();
      const said = existsSync(log) ? readFileSync(log, "utf8") : "";
      if (said.includes("Address already in use")) return null;
      if (performance.now() > deadline) {
        throw new Error(`PostgreSQL does not start: ${said.slice(-2000)}`, { cause: fault });
      }
      await Bun.sleep(50);
    }
  }
}

/** PostgreSQL refuses to run as root: then it runs as the package's own user, or as nobody. */
function otherUser(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map(line => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  const [, , uid, gid] = user ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error("there is no user but root for PostgreSQL to run as");
  chownSync(folder, Number(uid), Number(gid));
  return ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--pdeathsig=QUIT"];
}

function findBinaries(): string | null {
  const versions = "/usr/lib/postgresql";
  const installed = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map(version => join(versions, version, "bin"))
    : [];
  const inPath = (process.env.PATH ?? "").split(":");
  return [...installed, ...inPath].find(folder => existsSync(join(folder, "initdb"))) ?? null;
}

function installPostgres(): string {
  installPackage("postgresql");
  const found = findBinaries();
  if (found === null) throw new Error("PostgreSQL was installed, but its initdb cannot be found");
  return found;
}
