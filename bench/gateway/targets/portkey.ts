import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../test/support/servers/free-port.ts";
import { plainEnvironment, startOwnedProcess } from "../../kit/owned-process.ts";
import { installFolder } from "./install-folder.ts";
import { PROVIDER_KEY, type RunningTarget, type Target } from "./target.ts";
import { accepts, waitUntil } from "./wait-until.ts";

const PACKAGE = "@portkey-ai/gateway";
const VERSION = "1.15.2";
const SERVER_PACKAGE = "@hono/node-server";

/**
 * Calls are measured on what npm installs. With that (node-server 1.19.18 at the time of writing) every stream fails
 * with 500, because Portkey writes to immutable headers (Portkey-AI/gateway issue 1389). Streams work with 1.14.1 (but
 * not with 1.14.2), where a call costs Portkey about a tenth more CPU: calls measured on it would flatter us. So only
 * streams use the older one.
 */
const installations = {
  calls: { folder: `portkey-${VERSION}`, overrides: {} },
  streams: { folder: `portkey-${VERSION}-streams`, overrides: { [SERVER_PACKAGE]: "1.14.1" } },
} as const;

type Kind = keyof typeof installations;

/** The best-known TypeScript gateway, as published. It has no ledger, checks no keys and has no limits. */
export const portkey: Target = {
  name: "portkey",
  title: `Portkey ${VERSION}`,
  fewer: 20,
  start: upstream => startPortkey(upstream, "calls"),
  startForStreams: upstream => startPortkey(upstream, "streams"),
};

async function startPortkey(upstream: RunningTarget, kind: Kind): Promise<RunningTarget> {
  const installation = await installPortkey(kind);
  const node = Bun.which("node");
  if (node === null) throw new Error("Portkey needs node, and there is none on the PATH");
  const port = freePort();
  const program = join(installation, PACKAGE, "build", "start-server.js");
  const server = startOwnedProcess([node, program, `--port=${port}`, "--headless"], {
    // Without TRUSTED_CUSTOM_HOSTS it currently trusts loopback by default; set explicitly in case that changes.
    env: { ...plainEnvironment(), NODE_ENV: "production", TRUSTED_CUSTOM_HOSTS: "127.0.0.1" },
  });
  await waitUntil("Portkey", server, 60_000, () => accepts(port));
  const nodeVersion = Bun.spawnSync([node, "--version"]).stdout.toString().trim();
  const serverVersion = installedVersion(join(installation, SERVER_PACKAGE));
  return {
    address: { hostname: "127.0.0.1", port },
    headers: {
      Authorization: `Bearer ${PROVIDER_KEY}`,
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `http://${upstream.address.hostname}:${upstream.address.port}/v1`,
    },
    pid: server.pid,
    version: `Node ${nodeVersion}, ${SERVER_PACKAGE} ${serverVersion}`,
    stop: server.stop,
  };
}

async function installPortkey(kind: Kind): Promise<string> {
  const { folder, overrides } = installations[kind];
  const directory = installFolder(folder);
  const modules = join(directory, "node_modules");
  if (installedVersion(join(modules, PACKAGE)) === VERSION) return modules;

  console.error(`  installing ${PACKAGE}@${VERSION} into ${directory}`);
  const wanted = { private: true, dependencies: { [PACKAGE]: VERSION }, overrides };
  writeFileSync(join(directory, "package.json"), JSON.stringify(wanted));
  const install = Bun.spawn(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: directory,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await install.exited) !== 0) throw new Error(`npm could not install ${PACKAGE}@${VERSION}`);
  return modules;
}

function installedVersion(directory: string): string | null {
  try {
    const described: unknown = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    if (typeof described !== "object" || described === null || !("version" in described)) return null;
    return typeof described.version === "string" ? described.version : null;
  } catch {
    return null;
  }
}
