import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Config } from "./config.ts";
import { dataFiles } from "./data-files.ts";

/** This node's name among several: `SVC_NODE_ID`, or one made on the first start. It belongs to the node's ledger. */
export function loadOrCreateNodeId(config: Config): string {
  const kept = readNodeId(config);
  if (kept !== null) {
    if (config.nodeId !== null && config.nodeId !== kept) {
      throw new Error(
        `the ledger in ${config.dataDir} belongs to node ${kept}: set SVC_NODE_ID to that, or SVC_DATA_DIR to another directory`,
      );
    }
    return kept;
  }
  const made = config.nodeId ?? crypto.randomUUID();
  writeFileSync(dataFiles(config.dataDir).nodeId, `${made}\n`, { mode: 0o600 });
  return made;
}

/** null: this ledger was never part of several. */
export function readNodeId(config: Config): string | null {
  const { nodeId: file } = dataFiles(config.dataDir);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
}
