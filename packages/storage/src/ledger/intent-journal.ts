import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import type { Intent } from "./intent.ts";

const ROTATE_AT_BYTES = 1024 * 1024;

/**
 * The calls that were sent and have no event yet, one JSON line each. A plain append: it costs a microsecond and
 * needs no turn of the event loop, so that admitting a call is one synchronous step. Two files take turns: when
 * the current one is full, what is still open moves to the other and the old one is emptied. Lines of settled
 * calls may linger, so a reader asks the ledger which of them have their event.
 */
export class IntentJournal {
  readonly #files: readonly [number, number];
  readonly #open = new Map<string, string>();
  #current: 0 | 1 = 0;
  #bytes: number;

  constructor(ledgerPath: string) {
    const [first, second] = journalFiles(ledgerPath);
    this.#files = [openSync(first, "a"), openSync(second, "a")];
    this.#bytes = fstatSync(this.#files[0]).size;
  }

  /** On disk when it returns. Throws if it cannot be: then the call must not be sent. */
  append(intent: Intent): void {
    if (this.#bytes > ROTATE_AT_BYTES) this.#rotate();
    const line = `${JSON.stringify(intent)}\n`;
    this.#write(line);
    this.#open.set(intent.id, line);
  }

  settled(id: string): void {
    this.#open.delete(id);
  }

  /** For a power cut: `append` alone survives the end of the process, not of the machine. */
  sync(): void {
    fdatasyncSync(this.#files[this.#current]);
  }

  /** Everything in it has its event. */
  clear(): void {
    this.#open.clear();
    for (const file of this.#files) ftruncateSync(file, 0);
    this.#bytes = 0;
  }

  close(): void {
    for (const file of this.#files) closeSync(file);
  }

  /** Copies first, empties after: dying in between leaves a line twice, and readers tell them by id. */
  #rotate(): void {
    const full = this.#current;
    const fullBytes = this.#bytes;
    this.#current = full === 0 ? 1 : 0;
    this.#bytes = 0;
    try {
      for (const line of this.#open.values()) this.#write(line);
    } catch (fault) {
      // Half a copy is none: the full file stays the current one, and still holds every open intent.
      ftruncateSync(this.#files[this.#current], 0);
      this.#current = full;
      this.#bytes = fullBytes;
      throw fault;
    }
    ftruncateSync(this.#files[full], 0);
  }

  #write(line: string): void {
    const file = this.#files[this.#current];
    let written: number;
    try {
      written = writeSync(file, line);
    } catch (fault) {
      ftruncateSync(file, this.#bytes);
      throw fault;
    }
    const length = Buffer.byteLength(line);
    if (written !== length) {
      // A disk that fills up takes a part: half a line would spoil the next one.
      ftruncateSync(file, this.#bytes);
      throw new Error("the disk is full");
    }
    this.#bytes += length;
  }
}

/** Every intent on disk, settled or not, oldest first. A last line that was cut off belongs to a call never sent. */
export function readIntents(ledgerPath: string): Intent[] {
  const intents = new Map<string, Intent>();
  for (const file of journalFiles(ledgerPath)) {
    for (const line of readLines(file)) {
      const intent = parseIntent(line);
      if (intent) intents.set(intent.id, intent);
    }
  }
  return [...intents.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function journalFiles(ledgerPath: string): readonly [string, string] {
  return [`${ledgerPath}-intents-0`, `${ledgerPath}-intents-1`];
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return [];
    throw fault;
  }
}

function parseIntent(line: string): Intent | null {
  try {
    // What stands in the file was written by append.
    return line === "" ? null : (JSON.parse(line) as Intent);
  } catch {
    return null;
  }
}
