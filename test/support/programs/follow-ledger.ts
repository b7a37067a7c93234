/** A reader in its own process: follows the ledger to the given seq and prints every seq it saw. */
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followInMemory, noting } from "../labs/event-recorder.ts";
import { eventually } from "../waiting/eventually.ts";

const [file = "", last = "0"] = process.argv.slice(2);
const seen: number[] = [];
const follower = followInMemory(new LedgerReader(file), 0, { apply: noting(seen) });
void follower.run(new AbortController().signal);
await eventually("everything is followed", () => follower.position >= Number(last));
process.stdout.write(JSON.stringify(seen));
process.exit(0);
