import { fail, TollgateError } from "../errors.ts";
import { type BodyRoom, isLarge } from "./body-room.ts";
import { collectBody } from "./collect-body.ts";
import { MAX_BODY_BYTES, tooLarge } from "./request-body.ts";
import { wholeBody } from "./whole-body.ts";

/** Default of `SVC_REQUEST_TIMEOUT_MS`: 10 MiB within it needs 1.4 Mbit/s. */
export const REQUEST_TIMEOUT_MS = 60_000;

/** How long an unneeded body is discarded before its connection is closed. */
const DISCARD_MS = 1000;

const hangUp = { connection: "close" } as const;

interface PendingBody {
  readonly expiresAtMs: number;
  readonly giveUp: (fault: TollgateError) => void;
}

interface ArrivedBody {
  readonly request: Request;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (fault: TollgateError) => void;
}

/**
 * Reads request bodies, each within one time limit, however slowly its bytes arrive: the server's own idle timeout
 * restarts with every byte. One timer serves all of them; the limit is the same for all, so the set is ordered by
 * expiry.
 * A body is returned at the end of the event loop's turn. If bytes of another request follow it in the same packet, the
 * server closes the connection right after the body, within that turn; anything started before that (a call, which
 * costs money) would never be answered.
 */
export class RequestBodies {
  readonly #pending = new Set<PendingBody>();
  #arrived: ArrivedBody[] = [];
  #timer: Timer | null = null;

  constructor(
    private readonly timeoutMs: number,
    private readonly room: BodyRoom,
  ) {}

  /**
   * `owner`: whose part of the room it takes; "" for strangers. Rejects a compressed body. Throws synchronously if
   * nothing has to be read.
   */
  read(request: Request, owner: string, maxBytes: number = MAX_BODY_BYTES): Promise<Uint8Array<ArrayBuffer>> {
    const encoding = request.headers.get("content-encoding");
    if (encoding && encoding.toLowerCase() !== "identity") {
      throw fail(
        "unsupported_encoding",
        "compressed request bodies are not accepted; send the body as it is",
      );
    }
    return this.readAsSent(request, owner, maxBytes);
  }

  /** The bytes as received, compressed or not. */
  readAsSent(
    request: Request,
    owner: string,
    maxBytes: number = MAX_BODY_BYTES,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const declared = request.headers.get("content-length");
    // Without Content-Length the bytes are counted while reading, because the body may be large.
    if (declared === null) return this.#inTime(request, readCounted(request, owner, maxBytes, this.room));
    const bytes = Number(declared);
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    this.room.take(owner, bytes);
    const reading = this.#inTime(request, wholeBody(request));
    if (isLarge(bytes)) {
      const release = () => this.room.release(owner, bytes);
      reading.then(release, release);
    }
    return reading;
  }

  #inTime(request: Request, reading: Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
    return new Promise((resolve, reject) => {
      const body = { expiresAtMs: performance.now() + this.timeoutMs, giveUp: reject };
      this.#pending.add(body);
      if (this.#timer === null) this.#wakeIn(this.timeoutMs);
      reading.then(
        bytes => {
          this.#pending.delete(body);
          if (this.#arrived.push({ request, bytes, resolve, reject }) === 1) setImmediate(this.#handOver);
        },
        fault => {
          this.#pending.delete(body);
          reject(fault instanceof TollgateError ? fault : clientLeft());
        },
      );
    });
  }

  readonly #handOver = (): void => {
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const { request, bytes, resolve, reject } of arrived) {
      if (request.signal.aborted) reject(clientLeft());
      else resolve(bytes);
    }
  };

  #wakeIn(delayMs: number): void {
    this.#timer = setTimeout(() => this.#expire(), delayMs);
    this.#timer.unref();
  }

  #expire(): void {
    this.#timer = null;
    const now = performance.now();
    for (const body of this.#pending) {
      if (body.expiresAtMs > now) {
        this.#wakeIn(body.expiresAtMs - now);
        return;
      }
      this.#pending.delete(body);
      body.giveUp(tooSlow(this.timeoutMs));
    }
  }
}

/**
 * For an answer that did not need the request's body. A client that writes everything before it reads would lose the
 * answer if its connection were closed immediately, so the rest is discarded for a moment; then the connection is
 * closed, or it would stay open while bytes trickle in.
 */
export async function answerUnread(request: Request, answer: Response): Promise<Response> {
  if (!(await isBodyOver(request))) answer.headers.set("connection", "close");
  return answer;
}

async function isBodyOver(request: Request): Promise<boolean> {
  if (request.bodyUsed) return true;
  // The server hides the body of a GET or HEAD, and discards it as slowly as it arrives.
  if (request.body === null) return !announcesBody(request.headers);
  return await discard(request.body.getReader());
}

function announcesBody(headers: Headers): boolean {
  return headers.has("transfer-encoding") || Number(headers.get("content-length")) > 0;
}

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read">;

/** False: there was more than could be discarded in that time. */
async function discard(reader: BodyReader): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), DISCARD_MS);
  try {
    return await Promise.race([dropRest(reader), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function dropRest(reader: BodyReader): Promise<boolean> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client left: no connection to close.
  }
  return true;
}

async function readCounted(
  request: Request,
  owner: string,
  maxBytes: number,
  room: BodyRoom,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!request.body) return new Uint8Array(0);
  const reader = request.body.getReader();
  try {
    return await collectBody(() => reader.read(), owner, maxBytes, room);
  } catch (fault) {
    if (!(fault instanceof TollgateError) || (await discard(reader))) throw fault;
    throw new TollgateError(fault.code, fault.message, fault.fields, { ...fault.headers, ...hangUp });
  }
}

/** Never sent: the connection is closed. */
function clientLeft(): TollgateError {
  return fail("client_left", "the connection was closed before the request could be answered");
}

function tooSlow(timeoutMs: number): TollgateError {
  return fail(
    "request_timeout",
    `the request body was not complete within ${timeoutMs / 1000} seconds (SVC_REQUEST_TIMEOUT_MS)`,
    {},
    hangUp,
  );
}
