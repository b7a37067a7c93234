import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { encodeStatus, encodeTraceResponse } from "./encode-protobuf.ts";
import { UndecodableError } from "./span.ts";
import { WireReader } from "./wire-reader.ts";

const utf8 = new TextEncoder();

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}
const field = (number: number, bytes: readonly number[]) => [
  (number << 3) | 2,
  ...varint(BigInt(bytes.length)),
  ...bytes,
];
const text = (number: number, value: string) => field(number, [...utf8.encode(value)]);
const fixed64 = (number: number, value: bigint) => [
  (number << 3) | 1,
  ...new Uint8Array(new BigUint64Array([value]).buffer),
];
const integer = (number: number, value: bigint) => [number << 3, ...varint(value)];
const attribute = (key: string, value: readonly number[]) => field(9, [...text(1, key), ...field(2, value)]);
const request = (span: readonly number[]) =>
  Uint8Array.from(field(1, field(2, [...field(2, span), ...field(1, text(1, "instrumentation"))])));

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const bytesOf = (hex: string) => [...Buffer.from(hex, "hex")];

const sample = request([
  ...field(1, bytesOf(traceId)),
  ...field(2, bytesOf(spanId)),
  ...text(5, "chat gpt-4o-mini"),
  ...fixed64(7, 1_763_208_000_000_000_001n),
  ...fixed64(8, 1_763_208_001_000_000_002n),
  ...attribute("model", text(1, "gpt-4o-mini")),
  ...attribute("input_tokens", integer(3, 12n)),
  ...attribute("output_tokens", integer(3, -1n)),
  ...attribute("llm.cost.total", [(4 << 3) | 1, ...new Uint8Array(new Float64Array([0.25]).buffer)]),
  ...attribute("stream", integer(2, 1n)),
  ...attribute("gen_ai.input.messages", text(1, "a prompt")),
  ...field(15, integer(3, 2n)),
]);

describe("decodeProtobuf", () => {
  it("reads ids, times, status and only the listed attributes", () => {
    expect([...decodeProtobuf(sample)]).toEqual([
      {
        traceId,
        spanId,
        isRoot: true,
        scope: "instrumentation",
        startNanos: 1_763_208_000_000_000_001n,
        endNanos: 1_763_208_001_000_000_002n,
        statusCode: 2,
        attributes: new Map<string, string | number | boolean>([
          ["model", "gpt-4o-mini"],
          ["input_tokens", 12],
          ["output_tokens", -1],
          ["llm.cost.total", 0.25],
          ["stream", true],
        ]),
      },
    ]);
  });

  it("knows a span with a parent", () => {
    const child = request([...field(1, bytesOf(traceId)), ...field(4, bytesOf(spanId))]);
    expect([...decodeProtobuf(child)]).toMatchObject([{ traceId, spanId: "", isRoot: false }]);
  });

  it("accepts an empty request", () => expect([...decodeProtobuf(new Uint8Array())]).toEqual([]));

  it("terminates on any bytes, and throws only its own error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), bytes => {
        decodeOrRefuse(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  it("terminates on any damage to a valid request, and throws only its own error", () => {
    const damage = fc.array(fc.tuple(fc.nat(sample.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(damage, fc.nat(sample.length), (changes, length) => {
        const bytes = sample.slice();
        for (const [at, byte] of changes) bytes[at] = byte;
        decodeOrRefuse(bytes);
        decodeOrRefuse(bytes.subarray(0, length));
      }),
      { numRuns: 3000 },
    );
  });

  for (const [what, bytes] of [
    ["a length beyond the end", [0x0a, 0x7f]],
    ["a length beyond its own message", [...field(1, [0x12, 0x05]), 1, 2, 3, 4, 5, 6, 7]],
    ["a number without an end", [0x08, ...new Array(20).fill(0xff)]],
    ["a tag of more than 32 bits", [0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ["a group", [0x0b, 0x0c]],
    ["the field number 0", [0x00, 0x01]],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => [...decodeProtobuf(Uint8Array.from(bytes))]).toThrow(UndecodableError);
    });
  }
});

describe("the responses", () => {
  it("are empty on full success", () => expect(encodeTraceResponse(0, "")).toHaveLength(0));

  it("state the number of rejected spans and why", () => {
    const outer = new WireReader(encodeTraceResponse(300, "no model"));
    const first = outer.nextField();
    const partial = first && outer.message(first);
    const count = partial?.nextField();
    expect(count && partial?.varint(count)).toBe(300n);
    const message = partial?.nextField();
    expect(message && partial?.text(message)).toBe("no model");
    expect(outer.nextField()).toBeNull();
  });

  it("are a google.rpc.Status on failure", () => {
    const reader = new WireReader(encodeStatus(3, "why"));
    const code = reader.nextField();
    expect(code && [code.number, reader.varint(code)]).toEqual([1, 3n]);
    const message = reader.nextField();
    expect(message && [message.number, reader.text(message)]).toEqual([2, "why"]);
  });
});

function decodeOrRefuse(bytes: Uint8Array): void {
  try {
    for (const span of decodeProtobuf(bytes)) expect(span.attributes).toBeInstanceOf(Map);
  } catch (fault) {
    expect(fault).toBeInstanceOf(UndecodableError);
  }
}
