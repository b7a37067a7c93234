import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMBER = "litellm/model_prices_and_context_window_backup.json";

/** The table is data within a Python package: pip fetches the archive, and nothing is installed or executed. */
export function downloadTable(version: string | null): { archive: string; table: unknown } {
  const folder = mkdtempSync(join(tmpdir(), "compare-prices-"));
  try {
    const wanted = version === null ? "litellm" : `litellm==${version}`;
    const download = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder, wanted];
    python(["-m", "pip", ...download]);
    const archive = readdirSync(folder).find(name => name.endsWith(".whl"));
    if (archive === undefined) throw new Error("pip has downloaded no wheel");
    const read =
      "import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))";
    return { archive, table: JSON.parse(python(["-c", read, join(folder, archive), MEMBER])) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function python(args: readonly string[]): string {
  return execFileSync("python3", args, {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "inherit"],
  });
}
