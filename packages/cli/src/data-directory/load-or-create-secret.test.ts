import { expect, it } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { readConfig } from "../config/config.ts";
import { loadOrCreateSecret } from "./load-or-create-secret.ts";

const folder = temporaryFolder();

function newDataDir(name: string): string {
  const path = folder(name);
  mkdirSync(path);
  return path;
}

it("SEC-008 without SVC_SECRET one is generated on the first run, readable only by this user, and kept", () => {
  const [one, other] = [newDataDir("one"), newDataDir("other")];
  const made = loadOrCreateSecret(readConfig({ SVC_DATA_DIR: one }));
  expect(Buffer.from(made, "base64url")).toHaveLength(32);
  expect(statSync(join(one, "secret")).mode & 0o777).toBe(0o600);
  expect(loadOrCreateSecret(readConfig({ SVC_DATA_DIR: one }))).toBe(made);
  expect(loadOrCreateSecret(readConfig({ SVC_DATA_DIR: other }))).not.toBe(made);
});

it("SEC-008 SVC_SECRET is used unchanged, never written, and does not change the stored one", () => {
  const given = "a secret of sixteen characters or more";
  const fresh = newDataDir("given");
  expect(loadOrCreateSecret(readConfig({ SVC_DATA_DIR: fresh, SVC_SECRET: given }))).toBe(given);
  expect(existsSync(join(fresh, "secret"))).toBe(false);
  const made = loadOrCreateSecret(readConfig({ SVC_DATA_DIR: fresh }));
  expect(loadOrCreateSecret(readConfig({ SVC_DATA_DIR: fresh, SVC_SECRET: given }))).toBe(given);
  expect(readFileSync(join(fresh, "secret"), "utf8").trim()).toBe(made);
});

it("SEC-008 a stored secret that is empty or shorter than 16 characters is refused, and the error names the file", () => {
  for (const [name, content] of [
    ["empty", ""],
    ["blank", `${" ".repeat(20)}\n`],
    ["short", "fifteen letters"],
  ] as const) {
    const dataDir = newDataDir(name);
    writeFileSync(join(dataDir, "secret"), content);
    expect(() => loadOrCreateSecret(readConfig({ SVC_DATA_DIR: dataDir }))).toThrow(
      `${join(dataDir, "secret")} has fewer than 16 characters`,
    );
  }
});

it("SEC-008 if the secret cannot be written, no part of it is left behind", async () => {
  const dataDir = newDataDir("full");
  const program = `
    import { readConfig } from "${import.meta.dir}/../config/config.ts";
    import { loadOrCreateSecret } from "${import.meta.dir}/load-or-create-secret.ts";
    loadOrCreateSecret(readConfig({ SVC_DATA_DIR: ${JSON.stringify(dataDir)} }));`;
  // As on a full disk: files can be created, but not a byte can be written to them.
  const child = Bun.spawn(
    ["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$0" -e "$1"', process.execPath, program],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  expect([await child.exited, await child.stderr.text()]).toEqual([1, expect.stringContaining("EFBIG")]);
  expect(readdirSync(dataDir)).toEqual([]);
});
