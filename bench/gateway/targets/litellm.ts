import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../test/support/servers/free-port.ts";
import { plainEnvironment, startOwnedProcess } from "../../kit/owned-process.ts";
import { temporaryDirectory } from "../../kit/temporary-directory.ts";
import { MODEL } from "../generator/chat-request.ts";
import { installFolder } from "./install-folder.ts";
import { PROVIDER_KEY, type RunningTarget, type Target } from "./target.ts";
import { waitUntil } from "./wait-until.ts";

const VERSION = "1.106.2";
const MASTER_KEY = "sk-bench-master-key";
const START_MS = 180_000;

/**
 * The most used gateway, in Python, as `pip` installs it: one worker, and no database, so it records no spend and enforces
 * no budgets. Its key check compares with one configured key.
 */
export const litellm: Target = {
  name: "litellm",
  title: `LiteLLM ${VERSION}, one worker, without a database`,
  fewer: 100,
  start: startLitellm,
};

async function startLitellm(upstream: RunningTarget): Promise<RunningTarget> {
  const bin = await installLitellm();
  const directory = temporaryDirectory("litellm");
  const configPath = join(directory, "config.yaml");
  const port = freePort();
  writeFileSync(configPath, config(upstream));
  const server = startOwnedProcess(
    [
      join(bin, "litellm"),
      "--config",
      configPath,
      "--host",
      "127.0.0.1",
      "--port",
      `${port}`,
      "--num_workers",
      "1",
    ],
    {
      cwd: directory,
      env: {
        ...plainEnvironment(),
        LITELLM_MASTER_KEY: MASTER_KEY,
        LITELLM_LOCAL_MODEL_COST_MAP: "True",
        LITELLM_LOG: "ERROR",
      },
    },
  );
  await waitUntil("LiteLLM", server, START_MS, () => isReady(port));
  return {
    address: { hostname: "127.0.0.1", port },
    headers: { Authorization: `Bearer ${MASTER_KEY}` },
    pid: server.pid,
    version: `litellm ${VERSION}`,
    stop: server.stop,
  };
}

const config = ({ address }: RunningTarget) => `
model_list:
  - model_name: ${MODEL}
    litellm_params:
      model: openai/${MODEL}
      api_base: http://${address.hostname}:${address.port}/v1
      api_key: ${PROVIDER_KEY}
litellm_settings:
  telemetry: false
`;

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/liveliness`)).ok;
  } catch {
    return false;
  }
}

/** Into a virtual environment of its own. */
async function installLitellm(): Promise<string> {
  const directory = installFolder(`litellm-${VERSION}`);
  const bin = join(directory, "bin");
  const done = join(directory, "installed");
  if (existsSync(done)) return bin;
  console.error(`  installing litellm ${VERSION} into ${directory}: this takes minutes`);
  for (const step of [
    ["python3", "-m", "venv", directory],
    [join(bin, "pip"), "install", "--quiet", `litellm[proxy]==${VERSION}`],
  ]) {
    // With the whole environment: pip may be configured by it.
    const run = Bun.spawn(step, { stdin: "ignore", stdout: "ignore", stderr: "inherit" });
    if ((await run.exited) !== 0)
      throw new Error(`LiteLLM could not be installed: \`${step.slice(0, 3).join(" ")}\` failed`);
  }
  writeFileSync(done, "");
  return bin;
}
