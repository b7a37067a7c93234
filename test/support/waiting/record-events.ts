/** A recorder of events in a process of its own, which is killed before one of its statements, if a test wants that. */
import {
  type ControlDatabaseOptions,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { beforeStatements, followAndRecord } from "../labs/event-recorder.ts";

const [file = "", place = "", killedAt = "0"] = process.argv.slice(2);
const database = await openControlDatabase(JSON.parse(place) as ControlDatabaseOptions);
const watched = beforeStatements(database, statement => {
  if (statement === Number(killedAt)) process.kill(process.pid, "SIGKILL");
});
process.stdout.write(`${await followAndRecord(watched, new LedgerReader(file)).catchUp()}`);
process.exit(0);
