/** The follower in its own process, so that a test can kill it: small batches until it has caught up. */
import {
  type ControlDatabaseOptions,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";

const [file = "", place = ""] = process.argv.slice(2);
const database = await openControlDatabase(JSON.parse(place) as ControlDatabaseOptions);
await followReadModel(database, new LedgerReader(file), { batchSize: 20 }).catchUp();
process.exit(0);
