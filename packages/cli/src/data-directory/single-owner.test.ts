import { expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { becomeSingleOwner, isOwned } from "./single-owner.ts";

const folder = temporaryFolder();

it("names the file that cannot be locked, because SQLite does not", () => {
  const path = folder("damaged.lock");
  writeFileSync(path, "not a lock, ".repeat(100));
  const own = () => becomeSingleOwner(path, { patienceMs: 0, refusal: () => "refused" });
  for (const use of [own, () => isOwned(path)]) expect(use).toThrow(`${path}: file is not a database`);
});
