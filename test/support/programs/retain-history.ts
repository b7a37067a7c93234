/** Retention in its own process, so that a test can kill it: the control plane's part, then the gateway's. */
import { readHistory } from "@tollgate/storage/database/history";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { retainHistory } from "@tollgate/storage/read-model/deriving/retain-history";

const [ledgerPath = "", path = "", now = ""] = process.argv.slice(2);
const database = await openControlDatabase({ kind: "sqlite", path });
const ledger = new Ledger(ledgerPath, "normal");
const reader = new LedgerReader(ledgerPath);
await retainHistory({ database, ledger: reader, days: 31, now: () => Number(now), readers: [] });
const { beginning, beginsAtMs } = await readHistory(database.db);
if (beginning === null) throw new Error("nothing may be removed");
while ((await ledger.removeOldest({ ...beginning, atMs: beginsAtMs }, 20)).isMore) await Bun.sleep(1);
process.exit(0);
