/** An event recorder in its own process, which can be killed before one of its statements. */
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
