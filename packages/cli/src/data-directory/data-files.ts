import { join } from "node:path";

/** The paths of all files in the data directory. */
export function dataFiles(dataDir: string) {
  return {
    ledger: join(dataDir, "ledger.db"),
    control: join(dataDir, "control.db"),
    addresses: join(dataDir, "addresses.json"),
    /** Locked by the supervisor while the instance runs; the other file names its process. */
    instanceLock: join(dataDir, "tollgate.lock"),
    pid: join(dataDir, "tollgate.pid"),
    gatewayLock: join(dataDir, "gateway.lock"),
    controlLock: join(dataDir, "control.lock"),
    /** The sidecar's earlier name: a running one of an older version must find the same files. */
    sidecarLock: join(dataDir, "agent.lock"),
    sidecarStatus: join(dataDir, "agent.json"),
    nodeId: join(dataDir, "node-id"),
    /** Which price file the last start used. */
    pricesInUse: join(dataDir, "prices-in-use"),
    secret: join(dataDir, "secret"),
    /** Exists if the control plane's data is in PostgreSQL. */
    postgresMark: join(dataDir, "control-in-postgres"),
  };
}

/** A plane holds its lock while it runs, also if its supervisor was killed. */
export function planeLocks({
  gatewayLock,
  controlLock,
  sidecarLock,
}: ReturnType<typeof dataFiles>): string[] {
  return [gatewayLock, controlLock, sidecarLock];
}
