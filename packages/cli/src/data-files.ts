import { join } from "node:path";

/** Where everything lies in the data directory. */
export function dataFiles(dataDir: string) {
  return {
    ledger: join(dataDir, "ledger.db"),
    control: join(dataDir, "control.db"),
    addresses: join(dataDir, "addresses.json"),
    /** Owned by the supervisor while the instance runs; who that is stands in the other file. */
    instanceLock: join(dataDir, "tollgate.lock"),
    pid: join(dataDir, "tollgate.pid"),
    lock: join(dataDir, "gateway.lock"),
    controlLock: join(dataDir, "control.lock"),
    secret: join(dataDir, "secret"),
    /** There: the control plane's data is in PostgreSQL. */
    inPostgres: join(dataDir, "control-in-postgres"),
  };
}
