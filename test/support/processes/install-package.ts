import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Installs a distribution package that tests need, if permitted. Test processes run in parallel: the second waits for
 * the first, because only one apt-get can run at a time.
 */
export function installPackage(name: string): void {
  if (process.getuid?.() !== 0 || Bun.which("apt-get") === null) {
    throw new Error(`the tests need \`${name}\`, and only root can install it: apt-get install ${name}`);
  }
  console.error(`${name} is missing: apt-get install ${name}`);
  const install = 'apt-get -qq update; apt-get -qq install -y --no-install-recommends "$1"';
  const { exitCode, stderr } = Bun.spawnSync(
    ["flock", join(tmpdir(), "tollgate-apt-get.lock"), "sh", "-c", install, "sh", name],
    { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } },
  );
  if (exitCode !== 0) throw new Error(`${name} cannot be installed: ${stderr.toString().trim()}`);
}
