import { UndecodableError } from "./span.ts";

const utf8 = new TextDecoder();

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

interface Field {
  readonly number: number;
  readonly wireType: number;
}

/**
 * The subset of Protocol Buffers that OTLP needs: iterates over one message's fields. Every step moves forward and
 * checks the end, so no input makes it hang, read past its message, or throw anything but `UndecodableError`.
 */
export class WireReader {
  #at: number;

  constructor(
    private readonly bytes: Uint8Array,
    start = 0,
    private readonly end = bytes.length,
  ) {
    this.#at = start;
  }

  /** An independent reader of the rest of the message. */
  copy(): WireReader {
    return new WireReader(this.bytes, this.#at, this.end);
  }

  /** null at the end of the message. */
  nextField(): Field | null {
    if (this.#at >= this.end) return null;
    const tag = this.#uint32();
    if (tag >>> 3 === 0) throw new UndecodableError("a field has the number 0");
    return { number: tag >>> 3, wireType: tag & 7 };
  }

  /** A field of an unexpected type is skipped, like an unknown one. */
  varint(field: Field): bigint | null {
    return this.#is(field, VARINT) ? this.#varint() : null;
  }

  fixed64(field: Field): bigint | null {
    if (!this.#is(field, FIXED64)) return null;
    const at = this.#take(8);
    return new DataView(this.bytes.buffer, this.bytes.byteOffset).getBigUint64(at, true);
  }

  double(field: Field): number | null {
    if (!this.#is(field, FIXED64)) return null;
    const at = this.#take(8);
    return new DataView(this.bytes.buffer, this.bytes.byteOffset).getFloat64(at, true);
  }

  text(field: Field): string | null {
    const found = this.slice(field);
    return found && utf8.decode(found);
  }

  slice(field: Field): Uint8Array | null {
    if (!this.#is(field, BYTES)) return null;
    const length = this.#uint32();
    const at = this.#take(length);
    return this.bytes.subarray(at, at + length);
  }

  message(field: Field): WireReader | null {
    if (!this.#is(field, BYTES)) return null;
    const length = this.#uint32();
    const at = this.#take(length);
    return new WireReader(this.bytes, at, at + length);
  }

  skip(field: Field): void {
    if (field.wireType === VARINT) this.#varint();
    else if (field.wireType === FIXED64) this.#take(8);
    else if (field.wireType === BYTES) this.#take(this.#uint32());
    else if (field.wireType === FIXED32) this.#take(4);
    else throw new UndecodableError(`wire type ${field.wireType} does not occur in OTLP`);
  }

  #is(field: Field, wireType: number): boolean {
    if (field.wireType === wireType) return true;
    this.skip(field);
    return false;
  }

  #take(length: number): number {
    const at = this.#at;
    if (length > this.end - at) throw new UndecodableError("the message ends in the middle of a field");
    this.#at += length;
    return at;
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new UndecodableError("a number is longer than ten bytes");
  }

  /** Tags and lengths: most are one byte, and there are many. */
  #uint32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    throw new UndecodableError("a tag or a length is larger than 32 bits");
  }

  #byte(): number {
    const byte = this.#at < this.end ? this.bytes[this.#at] : undefined;
    if (byte === undefined) throw new UndecodableError("the message ends in the middle of a field");
    this.#at++;
    return byte;
  }
}
