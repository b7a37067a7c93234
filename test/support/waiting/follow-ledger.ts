/** A reader in a process of its own: follows the ledger to the given seq and prints every seq it saw. */
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

const [file = "", last = "0"] = process.argv.slice(2);
const reader = new LedgerReader(file);
const seen: number[] = [];
for await (const events of reader.follow(0, { signal: new AbortController().signal })) {
  seen.push(...events.map(({ seq }) => seq));
  if ((seen.at(-1) ?? 0) >= Number(last)) break;
}
reader.close();
process.stdout.write(JSON.stringify(seen));
