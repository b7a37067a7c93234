import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../test/support/servers/free-port.ts";
import { plainEnvironment, startOwnedProcess } from "../../kit/owned-process.ts";
import { temporaryDirectory } from "../../kit/temporary-directory.ts";
import { PROVIDER_KEY, type Target } from "./target.ts";
import { accepts, waitUntil } from "./wait-until.ts";

/** The baseline: one worker that forwards bytes, logs nothing and counts nothing. */
export const nginx: Target = {
  name: "nginx",
  title: "nginx, bytes only",
  fewer: 1,
  start: async upstream => {
    const binary = await findNginx();
    const directory = temporaryDirectory("nginx");
    const port = freePort();
    const configPath = join(directory, "nginx.conf");
    writeFileSync(configPath, config(directory, port, upstream.address.port));
    const program = startOwnedProcess(
      [binary, "-e", join(directory, "error.log"), "-p", directory, "-c", configPath],
      { env: plainEnvironment() },
    );
    await waitUntil("nginx", program, 10_000, () => accepts(port));
    return {
      address: { hostname: "127.0.0.1", port },
      headers: { Authorization: `Bearer ${PROVIDER_KEY}` },
      pid: program.pid,
      version: nginxVersion(binary),
      stop: program.stop,
    };
  },
};

/** Connections are kept for the whole run on both sides: reconnecting would be measured as proxying. */
function config(directory: string, port: number, upstreamPort: number): string {
  return `
daemon off;
worker_processes 1;
worker_rlimit_nofile 8192;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log warn;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  upstream provider {
    server 127.0.0.1:${upstreamPort};
    keepalive 512;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
  }
  server {
    listen 127.0.0.1:${port} backlog=2048;
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`;
}

function installedNginx(): string | null {
  const path = `${process.env.PATH ?? ""}:/usr/sbin:/usr/local/sbin`;
  return Bun.which("nginx", { PATH: path });
}

async function findNginx(): Promise<string> {
  const installed = installedNginx();
  if (installed !== null) return installed;
  const asRoot = process.getuid?.() === 0 && Bun.which("apt-get") !== null;
  if (!asRoot) throw new Error("nginx is not installed; install your distribution's package `nginx`");
  console.error("  nginx is missing: apt-get install nginx");
  for (const step of [["update"], ["install", "-y", "--no-install-recommends", "nginx"]]) {
    const run = Bun.spawn(["apt-get", "-qq", ...step], {
      // RUNLEVEL=1 prevents the package from starting its own server on port 80.
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
    });
    if ((await run.exited) !== 0) throw new Error(`apt-get ${step[0]} failed`);
  }
  const found = installedNginx();
  if (found === null) throw new Error("apt-get installed nginx, but nginx cannot be found");
  return found;
}

function nginxVersion(binary: string): string {
  const said = Bun.spawnSync([binary, "-v"]).stderr.toString();
  return /nginx\/\S+/.exec(said)?.[0] ?? "nginx";
}
