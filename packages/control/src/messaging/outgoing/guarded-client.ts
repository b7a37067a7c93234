import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { KeptConnections } from "./kept-connections.ts";
import { OutgoingFault } from "./outgoing-fault.ts";
import { hostnameOf, type TargetGuard } from "./target-guard.ts";

export interface OutgoingAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  /** At most the first few kilobytes. */
  readonly text: string;
}

export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

interface GuardedClientOptions {
  readonly guard: TargetGuard;
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

/**
 * The system's lookup blocks a thread of a small pool while a name server is silent: a few names that never resolve
 * would block all other lookups. This resolver waits without a thread.
 */
const resolveWithoutThreads: Resolve = hostname => Bun.dns.lookup(hostname, { backend: "c-ares" });

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4096;

/**
 * The only way out to a user-supplied address. Names are resolved here, every resulting address is checked, and the
 * connection goes to one of them, so a later DNS change does not matter. Redirects are not followed, because they
 * would bypass the check; time and response size are bounded.
 */
export class GuardedClient {
  readonly #guard: TargetGuard;
  readonly #timeoutMs: number;
  readonly #resolve: Resolve;
  readonly #connections = new KeptConnections();

  constructor(options: GuardedClientOptions) {
    this.#guard = options.guard;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#resolve = options.resolve ?? resolveWithoutThreads;
  }

  /** Resolves with any response, including 404 or 500; rejects with `OutgoingFault` if there was none. */
  async post(
    address: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<OutgoingAnswer> {
    const url = this.#guard.parse(address);
    const startedAt = performance.now();
    const pinned = await this.#inTime(this.#addressesOf(url));
    const leftMs = Math.max(this.#timeoutMs - (performance.now() - startedAt), 1);
    return await this.#send(url, pinned, body, headers, leftMs);
  }

  /** A silent name server must not delay the deliveries behind it. */
  async #inTime<Result>(work: Promise<Result>): Promise<Result> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(this.#timeout()), this.#timeoutMs);
    return await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
  }

  #timeout(): OutgoingFault {
    return new OutgoingFault("timeout", `no answer within ${this.#timeoutMs} ms`);
  }

  async #addressesOf(url: URL): Promise<readonly { address: string; family: number }[]> {
    const hostname = hostnameOf(url);
    const literal = isIP(hostname);
    let found: readonly { address: string; family: number }[];
    try {
      found = literal === 0 ? await this.#resolve(hostname) : [{ address: hostname, family: literal }];
    } catch {
      throw new OutgoingFault("unreachable", "the host name could not be resolved");
    }
    if (found.length === 0) throw new OutgoingFault("unreachable", "the host name has no address");
    for (const { address } of found) this.#guard.check(hostname, address);
    return found;
  }

  #send(
    url: URL,
    pinned: readonly { address: string; family: number }[],
    body: string,
    headers: Readonly<Record<string, string>>,
    leftMs: number,
    isFresh = false,
  ): Promise<OutgoingAnswer> {
    const startedAt = performance.now();
    const lookup: LookupFunction = (_hostname, options, callback) => {
      const [first] = pinned;
      if (options.all) callback(null, [...pinned]);
      else callback(null, first?.address ?? "", first?.family ?? 4);
    };
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      let answered: (() => void) | null = null;
      let isTooLate = false;
      const sent = send(
        url,
        {
          method: "POST",
          lookup,
          agent: isFresh ? false : this.#connections.for(url, pinned),
          headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
        },
        response => {
          const pieces: Buffer[] = [];
          let size = 0;
          const finish = () => {
            clearTimeout(timer);
            const retryAfter = response.headers["retry-after"] ?? null;
            const text = Buffer.concat(pieces).subarray(0, MAX_ANSWER_BYTES).toString("utf8");
            resolve({ status: response.statusCode ?? 0, retryAfter, text });
            // A connection with unread data cannot be reused.
            if (!response.complete) sent.destroy();
          };
          answered = finish;
          response.on("data", (piece: Buffer) => {
            pieces.push(piece);
            size += piece.length;
            if (size >= MAX_ANSWER_BYTES) finish();
          });
          response.on("end", finish);
          response.on("error", finish);
        },
      );
      const timer = setTimeout(() => {
        // A status is an answer even if its body never ends; otherwise an accepted message would be sent again.
        if (answered) return answered();
        isTooLate = true;
        reject(this.#timeout());
        sent.destroy();
      }, leftMs);
      sent.on("error", () => {
        // A connection that breaks after the status has still answered.
        if (answered) return answered();
        clearTimeout(timer);
        // A kept-alive connection may just have been closed, which says nothing about the receiver.
        if (sent.reusedSocket && !isFresh && !isTooLate) {
          const stillMs = Math.max(leftMs - (performance.now() - startedAt), 1);
          return resolve(this.#send(url, pinned, body, headers, stillMs, true));
        }
        reject(new OutgoingFault("unreachable", "the connection failed"));
      });
      sent.end(body);
    });
  }
}
