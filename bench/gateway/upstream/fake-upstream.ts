/**
 * A provider with almost no cost, in its own process: fixed bytes over raw sockets. Prints {"port":N} when it listens,
 * and exits with its stdin, so that it never outlives the bench.
 */
import type { Socket } from "bun";
import { CANDIDATE_MODEL } from "../generator/chat-request.ts";
import { HttpReader } from "../generator/http-reader.ts";
import { SocketWriter } from "../generator/socket-writer.ts";
import {
  completionAnswer,
  notFoundAnswer,
  otherCompletionAnswer,
  streamWritesPlain,
  streamWritesWithUsage,
} from "./fake-answers.ts";

/** One stream gets a chunk every SLOTS ticks. Slots prevent 300 streams from all writing in the same millisecond. */
const TICK_MS = 2;
const SLOTS = 10;

interface Connection {
  readonly reader: HttpReader;
  readonly writer: SocketWriter;
  /** The current stream; null between streams, and for a call that does not stream. */
  stream: Stream | null;
}

interface Stream {
  readonly connection: Connection;
  readonly writes: readonly Buffer[];
  next: number;
}

const OTHER_MODEL = `"${CANDIDATE_MODEL}"`;

const slots: Set<Stream>[] = Array.from({ length: SLOTS }, () => new Set());
let tick = 0;

function openStream(connection: Connection, writes: readonly Buffer[], hold: boolean): void {
  const stream: Stream = { connection, writes, next: 1 };
  connection.stream = stream;
  const first = writes[0];
  if (first !== undefined) connection.writer.write(first);
  // A held stream joins no slot: it stays open and silent until its client disconnects.
  if (!hold) slots[tick % SLOTS]?.add(stream);
}

function closeStream(connection: Connection): void {
  const { stream } = connection;
  if (stream === null) return;
  connection.stream = null;
  for (const slot of slots) slot.delete(stream);
}

function onTick(): void {
  tick += 1;
  const slot = slots[tick % SLOTS];
  if (slot === undefined) return;
  for (const stream of slot) {
    const bytes = stream.writes[stream.next];
    stream.next += 1;
    if (bytes !== undefined) stream.connection.writer.write(bytes);
    if (stream.next >= stream.writes.length) {
      slot.delete(stream);
      stream.connection.stream = null;
    }
  }
}

function answer(connection: Connection, head: string, body: Buffer): void {
  if (!head.startsWith("POST /v1/chat/completions ")) {
    connection.writer.write(notFoundAnswer);
    return;
  }
  if (!body.includes('"stream":true')) {
    connection.writer.write(body.includes(OTHER_MODEL) ? otherCompletionAnswer : completionAnswer);
    return;
  }
  const writes = body.includes('"include_usage":true') ? streamWritesWithUsage : streamWritesPlain;
  openStream(connection, writes, body.includes('"hold"'));
}

function accept(socket: Socket<Connection>): Connection {
  let head = "";
  let bodies: Buffer[] = [];
  const connection: Connection = {
    writer: new SocketWriter(socket),
    stream: null,
    reader: new HttpReader({
      head: text => {
        head = text;
        bodies = [];
      },
      body: piece => {
        // A copy: the rest of the body may arrive with a later read, and the socket may have reused its buffer.
        bodies.push(Buffer.from(piece));
      },
      end: () => {
        const only = bodies.length === 1 ? bodies[0] : undefined;
        answer(connection, head, only ?? Buffer.concat(bodies));
      },
    }),
  };
  return connection;
}

const server = Bun.listen<Connection>({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open(socket) {
      socket.data = accept(socket);
    },
    data(socket, bytes) {
      socket.data.reader.push(bytes);
    },
    drain(socket) {
      socket.data.writer.flush();
    },
    close(socket) {
      closeStream(socket.data);
    },
    error(socket) {
      closeStream(socket.data);
      socket.terminate();
    },
  },
});
setInterval(onTick, TICK_MS);
console.log(JSON.stringify({ port: server.port }));

for await (const _ of Bun.stdin.stream()) {
  // No input is expected; only the end matters.
}
process.exit(0);
