/**
 * Stripe's own `stripe-mock`, a Go program that validates every request against Stripe's published API description. It
 * stores nothing: payments are reported by signed notices that tests create.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installPackage } from "../processes/install-package.ts";

const MODULE = "github.com/stripe/stripe-mock";
const VERSION = "v0.203.0";
const cache = join(import.meta.dir, "../../../node_modules/.cache/stripe-mock");

export interface StripeMock {
  readonly url: string;
  /** Its output so far: every request with its data. */
  readonly printed: () => string;
  stop(): Promise<void>;
}

/** Builds it if necessary. Throws with the reason if it cannot be built. */
export async function startStripeMock(): Promise<StripeMock> {
  const child = Bun.spawn([buildStripeMock(), "-http-addr", "127.0.0.1:", "-https-addr", "127.0.0.1:"], {
    stdout: "pipe",
    stderr: "inherit",
  });
  let printed = "";
  const listening = Promise.withResolvers<string>();
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) {
      printed += decoder.decode(bytes, { stream: true });
      const address = /Listening for HTTP at address: (\S+)/.exec(printed)?.[1];
      if (address !== undefined) listening.resolve(`http://${address}`);
    }
    listening.reject(new Error(`stripe-mock ended: ${printed}`));
  })();
  return {
    url: await listening.promise,
    printed: () => printed,
    async stop() {
      child.kill();
      await child.exited;
      await reading;
    },
  };
}

function buildStripeMock(): string {
  const program = join(cache, VERSION, "stripe-mock");
  if (existsSync(program)) return program;
  if (Bun.which("go") === null) installPackage("golang-go");
  const go = Bun.which("go");
  if (go === null) throw new Error("golang-go was installed, but go cannot be found");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "new-"));
  console.error(`building ${MODULE}@${VERSION}`);
  // Not inlining takes a third less time to compile.
  const install = [go, "install", "-gcflags=all=-l", `${MODULE}@${VERSION}`];
  const { exitCode, stderr } = Bun.spawnSync(install, {
    env: { ...process.env, GOBIN: folder, GOFLAGS: "" },
  });
  if (exitCode !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`stripe-mock cannot be built: ${stderr.toString().trim().slice(-500)}`);
  }
  rmSync(join(cache, VERSION), { recursive: true, force: true });
  renameSync(folder, join(cache, VERSION));
  return program;
}
