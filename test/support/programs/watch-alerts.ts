/** The alert watch in its own process, so that a test can kill it; runs until it has evaluated everything. */
import { AlertWatch } from "@tollgate/control/features/alerts/watch-alerts";
import {
  type ControlDatabaseOptions,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import { followReadModel } from "@tollgate/storage/read-model/deriving/follow-read-model";

const [file = "", place = "", now = "0"] = process.argv.slice(2);
const database = await openControlDatabase(JSON.parse(place) as ControlDatabaseOptions);
const ledger = new LedgerReader(file);
const follower = followReadModel(database, ledger);
await follower.catchUp();
const watch = await AlertWatch.open({
  control: {
    db: database.db,
    engine: database.engine,
    readModel: createReadModel(database, ledger),
    now: () => Number(now),
    newId: () => Bun.randomUUIDv7(),
    wakeSender: () => {},
  },
  database,
  ledger,
  readModel: follower,
  log: () => {},
});
process.stdout.write("begun\n");
await watch.catchUp();
await watch.tick();
process.exit(0);
