import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for the tests of one file, deleted after the last of them. */
export function temporaryFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return name => join(folder, name);
}
