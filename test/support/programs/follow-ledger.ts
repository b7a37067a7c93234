/**
 * A reader in its own process: follows the ledger to the given seq. Prints every seq that it saw at the end, or, with
 * `reports`, its position after each batch.
 */
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followInMemory, noting } from "../labs/event-recorder.ts";
import { eventually } from "../waiting/eventually.ts";

const [file = "", last = "0", reports = ""] = process.argv.slice(2);
const seen: number[] = [];
const note = noting(seen);
const follower = followInMemory(new LedgerReader(file), 0, {
  apply(batch) {
    if (reports !== "") process.stdout.write(`${batch.to.seq}\n`);
    return note(batch);
  },
});
void follower.run(new AbortController().signal);
await eventually("everything is followed", () => follower.position >= Number(last));
if (reports === "") process.stdout.write(JSON.stringify(seen));
process.exit(0);
