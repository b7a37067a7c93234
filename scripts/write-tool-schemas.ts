/** Writes test/e2e/tools/schemas/ from the catalogue, a file a tool: `bun scripts/write-tool-schemas.ts`. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { surfaces } from "@tollgate/tools/surfaces";

const folder = join(import.meta.dir, "../test/e2e/tools/schemas");
await rm(folder, { recursive: true, force: true });
for (const { name, domain, title, description, annotations, inputSchema, outputSchema } of surfaces.hosted) {
  const shown = {
    name,
    domain,
    title,
    description,
    annotations,
    inputSchema: inputSchema.json,
    outputSchema: outputSchema.json,
  };
  await Bun.write(join(folder, `${name}.json`), `${JSON.stringify(shown, null, 2)}\n`);
}
// As the formatter wants it, so that a check of the whole tree finds nothing to change.
await Bun.spawn([join(import.meta.dir, "../node_modules/.bin/biome"), "format", "--write", folder]).exited;
