import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { HttpReader, readStatus } from "./http-reader.ts";

interface Message {
  head: string;
  body: string;
}

function read(pieces: readonly Buffer[]): Message[] {
  const messages: Message[] = [];
  let head = "";
  let body = "";
  const reader = new HttpReader({
    head: text => {
      head = text;
      body = "";
    },
    body: piece => {
      body += piece.toString("latin1");
    },
    end: () => {
      messages.push({ head, body });
    },
  });
  for (const piece of pieces) reader.push(piece);
  return messages;
}

const counted = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello";
const chunked =
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=1\r\n world\r\n0\r\nX-Late: 1\r\n\r\n";
const empty = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n";

describe("HttpReader", () => {
  it("reads consecutive Content-Length, chunked and empty messages on one connection", () => {
    expect(read([Buffer.from(counted + chunked + empty + counted)]).map(message => message.body)).toEqual([
      "hello",
      "hello world",
      "",
      "hello",
    ]);
  });

  it("reads the same messages for any chunking", () => {
    const whole = Buffer.from(counted + chunked + empty + chunked + counted);
    const expected = read([whole]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 40 }), cuts => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const pieces = edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge));
        expect(read(pieces)).toEqual(expected);
      }),
    );
  });

  it("rejects an answer without a detectable end", () => {
    expect(() => read([Buffer.from("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nrest")])).toThrow();
  });

  it.each([
    ["HTTP/1.1 200 OK", 200],
    ["HTTP/1.0 502 Bad Gateway", 502],
    ["POST /v1/chat/completions HTTP/1.1", 0],
  ] as const)("reads the status of %p", (head, status) => {
    expect(readStatus(head)).toBe(status);
  });
});
