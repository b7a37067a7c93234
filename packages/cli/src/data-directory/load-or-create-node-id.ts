import { existsSync, readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { createWholeFile } from "./create-whole-file.ts";
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
  createWholeFile(dataFiles(config.dataDir).nodeId, `${config.nodeId ?? crypto.randomUUID()}\n`);
  return loadOrCreateNodeId(config);
}

/** null: this ledger was never part of several. */
export function readNodeId(config: Config): string | null {
  const { nodeId: file } = dataFiles(config.dataDir);
  if (!existsSync(file)) return null;
  const nodeId = readFileSync(file, "utf8").trim();
  if (nodeId === "") {
    throw new Error(
      `${file} is empty: write the name of the node that the ledger beside it belongs to into it (\`svc nodes\` lists them), or delete it if that ledger was never part of several`,
    );
  }
  return nodeId;
}
