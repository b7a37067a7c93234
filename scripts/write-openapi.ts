/** Writes docs/openapi.json from the contract: `bun scripts/write-openapi.ts`. */
import { openApiDocument } from "@tollgate/core/contract/openapi";

const path = `${import.meta.dir}/../docs/openapi.json`;
await Bun.write(path, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
// As the formatter wants it, so that a check of the whole tree finds nothing to change.
await Bun.spawn([`${import.meta.dir}/../node_modules/.bin/biome`, "format", "--write", path]).exited;
