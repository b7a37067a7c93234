import { JsonSkeleton } from "./json-skeleton.ts";

const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;

/** Longer names and events mean nothing to any reader. */
const MAX_NAME_BYTES = 256;
const LINE_BREAK = new Uint8Array([LF]);

type Place = "name" | "data" | "event" | "ignored";

/** Reads an SSE frame that is too long for memory, piece by piece: its event, and the skeleton of its JSON. */
export class LongFrame {
  #event: string | null = null;
  #hasData = false;
  #place: Place = "name";
  /** The field's name so far, or the value of an `event:` line. */
  #text = "";
  #isAfterColon = false;
  readonly #skeleton = new JsonSkeleton();

  push(bytes: Uint8Array): void {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) continue;
      this.#read(bytes.subarray(start, at));
      this.#endLine();
      start = at + 1;
    }
    this.#read(bytes.subarray(start));
  }

  /** `data` is null if it is not complete JSON. */
  end(): { event: string | null; data: string | null } {
    this.#endLine();
    return { event: this.#event, data: this.#hasData ? this.#skeleton.end() : null };
  }

  /** A part of a line, without its end. */
  #read(part: Uint8Array): void {
    if (part.length === 0) return;
    if (this.#place === "name") {
      const colon = part.indexOf(COLON);
      this.#addText(colon < 0 ? part : part.subarray(0, colon));
      if (colon < 0) return;
      this.#beginValue();
      this.#read(part.subarray(colon + 1));
      return;
    }
    const value = this.#isAfterColon && part[0] === SPACE ? part.subarray(1) : part;
    this.#isAfterColon = false;
    if (this.#place === "data") this.#skeleton.push(value);
    else if (this.#place === "event") this.#addText(value);
  }

  #beginValue(): void {
    this.#place = this.#text === "data" || this.#text === "event" ? this.#text : "ignored";
    this.#text = "";
    this.#isAfterColon = true;
    if (this.#place !== "data") return;
    if (this.#hasData) this.#skeleton.push(LINE_BREAK);
    this.#hasData = true;
  }

  #addText(bytes: Uint8Array): void {
    const left = MAX_NAME_BYTES - this.#text.length;
    if (left > 0) this.#text += Buffer.from(bytes.subarray(0, left)).toString("latin1");
  }

  #endLine(): void {
    if (this.#place === "event") this.#event = this.#text;
    this.#place = "name";
    this.#text = "";
    this.#isAfterColon = false;
  }
}
