import { describe, expect, it } from "bun:test";
import { UnframedBody } from "./unframed-body.ts";

const MARK = "\ufeff";
const encode = (text: string) => new TextEncoder().encode(text);

/** What goes on as a stream, and the JSON, of a body that arrives in two pieces. */
function read(bytes: Uint8Array, cut: number) {
  const body = new UnframedBody();
  const passed = [bytes.subarray(0, cut), bytes.subarray(cut)].flatMap(piece => body.take(piece) ?? []);
  return { stream: Buffer.concat(passed).toString(), json: body.text() };
}

describe("GW-041 a body that claims to be a stream", () => {
  for (const before of ["", "\n\n", MARK, `\n${MARK}`, " \t\r\n"]) {
    for (const json of ['{"error":"slow down"}', '[{"error":"slow down"}]'])
      it(`is JSON, wherever it is cut: ${json} after ${JSON.stringify(before)}`, () => {
        const bytes = encode(`${before}${json}`);
        for (let cut = 0; cut <= bytes.length; cut++) expect(read(bytes, cut)).toEqual({ stream: "", json });
      });

    it(`is a stream, and loses no byte, after ${JSON.stringify(before)}`, () => {
      const bytes = encode(`${before}data: {"id":1}\n\n`);
      for (let cut = 0; cut <= bytes.length; cut++)
        expect(read(bytes, cut)).toEqual({ stream: Buffer.from(bytes).toString(), json: null });
    });
  }
});
