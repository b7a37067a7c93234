/**
 * `npm run pack:tools [-- <folder>]`: the stdio tool package as published: one file of plain JavaScript without
 * dependencies, with its manifest, its README and its registry entry.
 */
import { chmod, copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../packages/tools/package.json" with { type: "json" };

const source = join(import.meta.dir, "../packages/tools");
const target = process.argv[2] ?? join(import.meta.dir, "../dist/svc-mcp");

await rm(target, { recursive: true, force: true });
await mkdir(join(target, "dist"), { recursive: true });

const built = await Bun.build({
  entrypoints: [join(source, "src/stdio.ts")],
  target: "node",
  format: "esm",
  banner: "#!/usr/bin/env node",
});
const [bundle] = built.outputs;
if (!built.success || bundle === undefined) throw new Error(built.logs.join("\n"));
await Bun.write(join(target, "dist/index.js"), await bundle.text());
await chmod(join(target, "dist/index.js"), 0o755);

const { version, description } = manifest;
const published = {
  name: "@tollgate/svc-mcp",
  version,
  description,
  mcpName: "io.github.tollgate/svc-mcp",
  license: "UNLICENSED",
  keywords: ["mcp", "model-context-protocol", "llm", "cost", "budget"],
  type: "module",
  bin: { "svc-mcp": "dist/index.js" },
  files: ["dist", "server.json"],
  engines: { node: ">=20" },
};
await Bun.write(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
for (const file of ["README.md", "server.json"]) await copyFile(join(source, file), join(target, file));
console.log(target);
