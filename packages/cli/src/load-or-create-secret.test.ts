import { expect, it } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/support/labs/temporary-folder.ts";
import { readConfig } from "./config.ts";
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
