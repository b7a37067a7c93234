/**
 * A real PostgreSQL for tests: Debian's own package, one throw-away server a test process, a fresh database a test.
 * Where it cannot run, the test fails and says why: nothing is skipped in silence.
 */
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

interface Server {
  readonly url: (database: string) => string;
  readonly admin: SQL;
}

const SERVER_ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" };

let server: Promise<Server> | undefined;
let made = 0;

/** An empty database on the server of this test process. */
export async function freshPostgres(): Promise<TestDatabase> {
  server ??= startServer();
  const { admin, url } = await server;
  const name = `test_${process.pid}_${++made}`;
  await admin.unsafe(`CREATE DATABASE ${name}`);
  return {
    url: url(name),
    drop: async () => {
      await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function startServer(): Promise<Server> {
  const binaries = findBinaries() ?? installPackage();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-postgres-"));
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

  const port = freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=200",
  ];
  const log = join(folder, "log");
  const command = [...asUser, join(binaries, "postgres"), "-D", data, "-p", `${port}`];
  // The shell outlives us by a moment, however we end: its input closes, it stops the server and cleans up.
  const running = Bun.spawn(
    [
      "sh",
      "-c",
      `trap '' INT; folder=$1; log=$2; shift 2; "$@" 2> "$log" < /dev/null & server=$!
       read -r _; kill -QUIT $server; wait $server; rm -rf "$folder"`,
      "sh",
      folder,
      log,
      ...command,
      ...settings.flatMap(text => ["-c", text]),
    ],
    { env: SERVER_ENVIRONMENT, cwd: folder, stdin: "pipe", stdout: "ignore", stderr: "ignore" },
  );
  running.unref();
  const url = (database: string) => `postgres://tollgate@127.0.0.1:${port}/${database}`;
  return { url, admin: await connect(url("postgres"), log) };
}

async function connect(url: string, log: string): Promise<SQL> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const admin = new SQL(url, { max: 1, idleTimeout: 0 });
    try {
      await admin.unsafe("SELECT 1");
      return admin;
    } catch (fault) {
      await admin.close();
      if (Date.now() > deadline) {
        throw new Error(`PostgreSQL does not start: ${readFileSync(log, "utf8").slice(-2000)}`, {
          cause: fault,
        });
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

function installPackage(): string {
  if (process.getuid?.() !== 0) {
    throw new Error(
      "PostgreSQL is not installed (`apt-get install postgresql`), and only root may install it",
    );
  }
  const env = { PATH: process.env.PATH ?? "", DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "postgresql"]]) {
    const done = Bun.spawnSync(["apt-get", ...args], { env });
    if (done.exitCode !== 0 && args[0] === "install") {
      throw new Error(`PostgreSQL cannot be installed: ${done.stderr.toString().trim()}`);
    }
  }
  const found = findBinaries();
  if (found === null) throw new Error("PostgreSQL was installed, but its initdb is not to be found");
  return found;
}

function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = probe;
  probe.stop(true);
  if (port === undefined) throw new Error("there is no free port");
  return port;
}
