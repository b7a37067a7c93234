import { closeSync, fdatasyncSync, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { namingFile } from "../engine/naming-file.ts";
import { DiskFull } from "./disk-full.ts";
import type { Intent } from "./intent.ts";

const SLOT_BYTES = 4096;
const FIRST_SLOTS = 128;
const FREE = 0;
const OPEN = 1;
/** Open, but too long for one slot: starts with the number of the next slot. */
const CONTINUED = 2;
/** A continuation slot of such an intent; it also starts with the number of the next one. */
const PART = 3;
const LINK_BYTES = 4;
const LAST = 0xffff_ffff;
const PART_BYTES = SLOT_BYTES - 1 - LINK_BYTES;
const LINE_BREAK = 10;

const decoder = new TextDecoder();

/**
 * The calls that were sent and have no event yet, in slots of a memory-mapped file. An intent is copied into a free
 * slot and marked as open by the slot's first byte, written last; settling clears that byte. The kernel owns the mapped
 * pages, so `kill -9` loses nothing, and admitting a call needs neither a system call nor a turn of the event loop.
 * Blocks are allocated before they are mapped, so a full disk cannot fail a write.
 */
export class IntentJournal {
  readonly #path: string;
  readonly #file: number;
  #slots: Buffer;
  readonly #free: number[] = [];
  readonly #slotOf = new Map<string, number>();
  /** Continuation slots by first slot, for the few intents that have any. */
  readonly #partsOf = new Map<number, readonly number[]>();

  constructor(ledgerPath: string) {
    this.#path = journalPath(ledgerPath);
    this.#file = openSync(this.#path, "a");
    const size = fstatSync(this.#file).size;
    const missing = FIRST_SLOTS * SLOT_BYTES - size;
    if (missing > 0 || size % SLOT_BYTES !== 0) {
      this.#allocate(Math.max(missing, SLOT_BYTES - (size % SLOT_BYTES)));
    }
    this.#slots = mapped(this.#path);
    this.#findFreeSlots(0);
  }

  /** Once this returns, the intent survives the process. If it throws, the call must not be sent. */
  append(intent: Intent): void {
    if (this.#free.length === 0) this.#grow();
    // LIFO reuse touches few pages, which stay in the cache.
    const slot = this.#free.pop();
    if (slot === undefined) throw new Error("the journal has no free slot");
    const start = slot * SLOT_BYTES;
    const written = this.#slots.write(`${JSON.stringify(intent)}\n`, start + 1, SLOT_BYTES - 1);
    // JSON contains no line break, so a final one proves that the whole text fits.
    if (this.#slots[start + written] === LINE_BREAK) {
      this.#slots[start] = OPEN;
      this.#slotOf.set(intent.id, slot);
      return;
    }
    this.#free.push(slot);
    this.#appendInParts(intent);
  }

  /** For ids of 256 characters of four bytes each, or a call with dozens of budgets. */
  #appendInParts(intent: Intent): void {
    const text = Buffer.from(`${JSON.stringify(intent)}\n`);
    const count = Math.ceil(text.length / PART_BYTES);
    while (this.#free.length < count) this.#grow();
    const parts = this.#free.splice(-count);
    // From last to first: the byte of the first slot makes the intent count.
    for (let part = count - 1; part >= 0; part--) {
      const start = (parts[part] ?? 0) * SLOT_BYTES;
      this.#slots.writeUInt32LE(parts[part + 1] ?? LAST, start + 1);
      text.copy(this.#slots, start + 1 + LINK_BYTES, part * PART_BYTES, (part + 1) * PART_BYTES);
      this.#slots[start] = part === 0 ? CONTINUED : PART;
    }
    const [first = 0, ...others] = parts;
    this.#slotOf.set(intent.id, first);
    this.#partsOf.set(first, others);
  }

  /** Frees the slots of an intent whose event is on disk. */
  settled(id: string): void {
    const slot = this.#slotOf.get(id);
    if (slot === undefined) return;
    this.#slotOf.delete(id);
    this.#release(slot);
    const parts = this.#partsOf.size === 0 ? undefined : this.#partsOf.get(slot);
    if (parts === undefined) return;
    this.#partsOf.delete(slot);
    for (const part of parts) this.#release(part);
  }

  #release(slot: number): void {
    this.#slots[slot * SLOT_BYTES] = FREE;
    this.#free.push(slot);
  }

  /** Protects against a power cut: mapped pages survive the process, not the machine. */
  sync(): void {
    fdatasyncSync(this.#file);
  }

  /** Empties the journal. Every intent in it must have its event. */
  clear(): void {
    for (let at = 0; at < this.#slots.length; at += SLOT_BYTES) this.#slots[at] = FREE;
    this.#slotOf.clear();
    this.#partsOf.clear();
    this.#free.length = 0;
    this.#findFreeSlots(0);
  }

  close(): void {
    closeSync(this.#file);
  }

  #grow(): void {
    const slots = this.#slots.length / SLOT_BYTES;
    this.#allocate(slots * SLOT_BYTES);
    // Both mappings show the same file, so the contents carry over.
    this.#slots = mapped(this.#path);
    this.#findFreeSlots(slots);
  }

  /** Written, not sparse: a hole is filled on first use, and on a full disk that kills the process. */
  #allocate(bytes: number): void {
    const zeros = new Uint8Array(bytes);
    namingFile(this.#path, () => {
      if (writeSync(this.#file, zeros) !== zeros.length) throw new DiskFull();
    });
  }

  #findFreeSlots(from: number): void {
    const slots = Math.floor(this.#slots.length / SLOT_BYTES);
    for (let slot = slots - 1; slot >= from; slot--) {
      if (this.#slots[slot * SLOT_BYTES] === FREE) this.#free.push(slot);
    }
  }
}

/** Every open intent, oldest first. Its event may be on disk anyway, if the process died in between. */
export function readIntents(ledgerPath: string): Intent[] {
  return intentsIn(readSlots(ledgerPath));
}

/** The same for the content of a journal. */
export function intentsIn(slots: Uint8Array): Intent[] {
  const intents: Intent[] = [];
  for (let at = 0; at + SLOT_BYTES <= slots.length; at += SLOT_BYTES) {
    const bytes = bytesAt(slots, at);
    const intent = bytes === null ? null : parseIntent(decoder.decode(bytes));
    if (intent) intents.push(intent);
  }
  return intents.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The bytes of the intent whose first slot starts here; null: none. */
function bytesAt(slots: Uint8Array, at: number): Uint8Array | null {
  if (slots[at] === OPEN) return slots.subarray(at + 1, slots.indexOf(LINE_BREAK, at));
  if (slots[at] !== CONTINUED) return null;
  const view = new DataView(slots.buffer, slots.byteOffset, slots.byteLength);
  const parts: Uint8Array[] = [];
  // A file that was cut off may end within a slot.
  for (let start = at, next = 0; next + SLOT_BYTES <= slots.length; start = next) {
    parts.push(slots.subarray(start + 1 + LINK_BYTES, start + SLOT_BYTES));
    next = view.getUint32(start + 1, true) * SLOT_BYTES;
    // Other calls reused the slots while they were read.
    if (parts.length * SLOT_BYTES > slots.length) return null;
  }
  const text = Buffer.concat(parts);
  return text.subarray(0, text.indexOf(LINE_BREAK));
}

/** null: the gateway was reusing the slot at the moment of the read. */
function parseIntent(text: string): Intent | null {
  try {
    // `append` wrote this slot.
    return JSON.parse(text) as Intent;
  } catch {
    return null;
  }
}

/**
 * Whether intents may be lost: the file is shorter than it was made, or a slot has what `append` never writes. A process
 * that is killed leaves neither.
 */
export function isDamaged(slots: Uint8Array): boolean {
  if (slots.length < FIRST_SLOTS * SLOT_BYTES) return true;
  for (let at = 0; at + SLOT_BYTES <= slots.length; at += SLOT_BYTES) {
    const state = slots[at];
    if (state === FREE || state === PART) continue;
    const bytes = state === OPEN || state === CONTINUED ? bytesAt(slots, at) : null;
    if (bytes === null || parseIntent(decoder.decode(bytes)) === null) return true;
  }
  return false;
}

/** As a buffer, so that writing text needs no new view each time. */
function mapped(path: string): Buffer {
  const bytes = Bun.mmap(path, { shared: true });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function journalPath(ledgerPath: string): string {
  return `${ledgerPath}-intents`;
}

/** The journal's content on disk; empty if there is none. */
export function readSlots(ledgerPath: string): Uint8Array {
  try {
    return readFileSync(journalPath(ledgerPath));
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return new Uint8Array(0);
    throw fault;
  }
}
