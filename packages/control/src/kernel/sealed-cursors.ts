import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Position } from "@tollgate/storage/read-model/page";

const MANY_KEYS = 10_000;
const AT_BYTES = 6;
const POSITION_BYTES = 13;
const BLOCK_BYTES = 16;
const LOW = 2 ** 48;

/**
 * Opaque cursors for lists and the live channel. The numbers inside count events of the whole installation: comparing
 * two of them would reveal how many calls other organizations made in between. So each position is one AES block,
 * encrypted with a key per organization and list; the zeros at its end distinguish our cursors from other text. The same
 * position always gives the same cursor.
 */
export class SealedCursors {
  readonly #keys = new Map<string, Buffer>();

  constructor(private readonly secret: string) {}

  seal(scope: Scope, list: string, { at, seq }: Position): string {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeUIntBE(at, 0, AT_BYTES);
    block.writeUIntBE(Math.floor(seq / LOW), AT_BYTES, 1);
    block.writeUIntBE(seq % LOW, AT_BYTES + 1, AT_BYTES);
    const cipher = createCipheriv("aes-128-ecb", this.#key(scope, list), null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString("base64url");
  }

  /** null: not our cursor, or one of another organization or list. */
  open(scope: Scope, list: string, text: string): Position | null {
    const sealed = Buffer.from(text, "base64url");
    if (sealed.length !== BLOCK_BYTES || sealed.toString("base64url") !== text) return null;
    const decipher = createDecipheriv("aes-128-ecb", this.#key(scope, list), null).setAutoPadding(false);
    const block = Buffer.concat([decipher.update(sealed), decipher.final()]);
    if (block.subarray(POSITION_BYTES).some(byte => byte !== 0)) return null;
    const seq = block.readUIntBE(AT_BYTES, 1) * LOW + block.readUIntBE(AT_BYTES + 1, AT_BYTES);
    return Number.isSafeInteger(seq) ? { at: block.readUIntBE(0, AT_BYTES), seq } : null;
  }

  #key({ orgId, mode }: Scope, list: string): Buffer {
    // Changing "place" would invalidate every cursor that clients hold.
    const name = JSON.stringify(["place", orgId, mode, list]);
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    if (this.#keys.size >= MANY_KEYS) this.#keys.clear();
    const key = createHmac("sha256", this.secret).update(name).digest().subarray(0, BLOCK_BYTES);
    this.#keys.set(name, key);
    return key;
  }
}
