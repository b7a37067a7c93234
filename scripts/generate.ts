/** `npm run generate`: writes to generated/ what is derived from declarations and committed for reviews. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openApiDocument } from "@tollgate/core/contract/openapi";
import { surfaces } from "@tollgate/tools/surfaces";

const root = join(import.meta.dir, "..");
const folder = join(root, "generated");
const write = (name: string, value: unknown) =>
  Bun.write(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);

await rm(folder, { recursive: true, force: true });
await write("openapi.json", openApiDocument());
for (const { name, domain, title, description, annotations, inputSchema, outputSchema } of surfaces.hosted) {
  await write(`tool-schemas/${name}.json`, {
    name,
    domain,
    title,
    description,
    annotations,
    inputSchema: inputSchema.json,
    outputSchema: outputSchema.json,
  });
}
// `npm run check` formats the whole tree, and must find nothing to change here.
const format = Bun.spawn([join(root, "node_modules/.bin/biome"), "format", "--write", folder], {
  stdout: "ignore",
  stderr: "inherit",
});
if ((await format.exited) !== 0) throw new Error("biome could not format the generated files");
console.log(`wrote generated/: openapi.json and ${surfaces.hosted.length} tool schemas`);
