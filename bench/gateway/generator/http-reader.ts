/**
 * Reads HTTP/1.1 messages from a raw socket, for any chunking. The load generator and the fake upstream share two cores
 * with the target, so their parsing takes CPU time from it: heads are searched natively and bodies are passed on
 * without a copy. Only framings that keep the connection usable are supported: Content-Length and chunked.
 */

export interface HttpReaderEvents {
  /** Start line and headers, without the empty line. */
  readonly head: (head: string) => void;
  readonly body: (piece: Buffer) => void;
  readonly end: () => void;
}

const HEAD_END = "\r\n\r\n";
const LINE_END = "\r\n";
const MAX_HEAD_BYTES = 65_536;
const EMPTY = Buffer.alloc(0);

type State = "head" | "counted" | "chunk-size" | "chunk-data" | "chunk-end" | "trailer";

export class HttpReader {
  private state: State = "head";
  private pending: Buffer = EMPTY;
  private bytesLeft = 0;

  constructor(private readonly events: HttpReaderEvents) {}

  push(piece: Buffer): void {
    let data = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece]);
    this.pending = EMPTY;
    while (data.length > 0) {
      const used = this.step(data);
      if (used === 0) {
        if (data.length > MAX_HEAD_BYTES) throw new Error("an HTTP head or chunk line does not end");
        // A copy: the socket may reuse its buffer once this call returns.
        this.pending = Buffer.from(data);
        return;
      }
      data = data.subarray(used);
    }
  }

  /** Consumes the start of `data` and returns how much; 0 means that more bytes are needed. */
  private step(data: Buffer): number {
    switch (this.state) {
      case "head":
        return this.readHead(data);
      case "counted":
      case "chunk-data":
        return this.readBody(data);
      case "chunk-size":
        return this.readChunkSize(data);
      case "chunk-end":
        if (data.length < LINE_END.length) return 0;
        this.state = "chunk-size";
        return LINE_END.length;
      case "trailer": {
        const at = data.indexOf(LINE_END);
        if (at < 0) return 0;
        if (at === 0) this.finish();
        return at + LINE_END.length;
      }
    }
  }

  private readHead(data: Buffer): number {
    const at = data.indexOf(HEAD_END);
    if (at < 0) return 0;
    const head = data.toString("latin1", 0, at);
    const framing = readFraming(head);
    this.events.head(head);
    if (framing === "chunked") {
      this.state = "chunk-size";
    } else if (framing === 0) {
      this.finish();
    } else {
      this.state = "counted";
      this.bytesLeft = framing;
    }
    return at + HEAD_END.length;
  }

  private readBody(data: Buffer): number {
    const used = Math.min(this.bytesLeft, data.length);
    this.bytesLeft -= used;
    this.events.body(used === data.length ? data : data.subarray(0, used));
    if (this.bytesLeft === 0) {
      if (this.state === "counted") this.finish();
      else this.state = "chunk-end";
    }
    return used;
  }

  private readChunkSize(data: Buffer): number {
    const at = data.indexOf(LINE_END);
    if (at < 0) return 0;
    // parseInt stops at a chunk extension.
    const size = Number.parseInt(data.toString("latin1", 0, at), 16);
    if (!Number.isSafeInteger(size) || size < 0) throw new Error("a chunk has no size");
    this.bytesLeft = size;
    this.state = size === 0 ? "trailer" : "chunk-data";
    return at + LINE_END.length;
  }

  private finish(): void {
    this.state = "head";
    this.events.end();
  }
}

const CONTENT_LENGTH = /\r\ncontent-length:[ \t]*(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding:[ \t]*chunked/i;

function readFraming(head: string): number | "chunked" {
  const length = CONTENT_LENGTH.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (CHUNKED.test(head)) return "chunked";
  if (head.startsWith("HTTP/")) throw new Error("an answer has neither Content-Length nor chunks");
  return 0;
}

/** 0 if the start line is not a status line. */
export function readStatus(head: string): number {
  return head.startsWith("HTTP/1.") ? Number(head.slice(9, 12)) : 0;
}
