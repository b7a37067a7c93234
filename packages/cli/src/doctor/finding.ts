import type { Config } from "../config/config.ts";
import type { dataFiles } from "../data-directory/data-files.ts";
import type { RunningInstance } from "../data-directory/instance.ts";

type Level = "ok" | "warning" | "error";

export interface Finding {
  /** The subject: "disk", "ports". */
  readonly check: string;
  readonly level: Level;
  readonly message: string;
}

/** The installation to check. */
export interface Patient {
  readonly config: Config;
  readonly files: ReturnType<typeof dataFiles>;
  /** null: Tollgate is not running. */
  readonly running: RunningInstance | null;
  readonly nowMs: number;
  /** On the disk of the data directory; null: it cannot be read. */
  readonly freeBytes: number | null;
  readonly depth: "quick" | "full";
}

/** One check. It reports a single "ok" for a sound installation, and nothing if its files do not exist. */
export interface Check {
  readonly name: string;
  readonly run: (patient: Patient, say: Say) => Promise<void> | void;
}

export type Say = (level: Level, message: string) => void;
