import { describe, expect, it } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { isThere } from "./is-there.ts";

const folder = temporaryFolder();

/** In another process, as a user who may not read everything: root may. */
function askAsNobody(path: string): string {
  const script = `
    import { isThere } from ${JSON.stringify(join(import.meta.dir, "is-there.ts"))};
    if (process.getuid() === 0) process.setuid(65534);
    try { console.log(isThere(${JSON.stringify(path)})); } catch (fault) { console.log(fault.message); }`;
  return Bun.spawnSync([process.execPath, "-e", script]).stdout.toString().trim();
}

describe("isThere", () => {
  it("tells a file that is absent from one that this user may not read", () => {
    const file = folder("private.db");
    writeFileSync(file, "");
    expect([isThere(file), isThere(folder("absent.db"))]).toEqual([true, false]);
    chmodSync(file, 0o000);
    expect(askAsNobody(file)).toStartWith(`this user may not read ${file}`);
    expect(askAsNobody("/absent.db")).toBe("false");
  });
});
