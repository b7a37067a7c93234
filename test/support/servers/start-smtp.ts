import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | null;
  readonly raw: string;
  readonly mail: Email;
}

/** A real mail server on loopback, as strange as a test requires. */
export async function startSmtp(options: SMTPServerOptions = {}) {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", async () => {
        const raw = Buffer.concat(pieces);
        taken.push({
          from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          user: session.user ?? null,
          raw: raw.toString("utf8"),
          mail: await PostalMime.parse(raw),
        });
        done();
      });
    },
    ...options,
  });
  // What a client does to the connection is for the test to check, not a fault of the server.
  server.on("error", () => {});
  await new Promise<void>(listening => server.listen(0, "127.0.0.1", listening));
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("the mail server has no port");
  return {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    taken,
    stop: () => new Promise<void>(closed => server.close(() => closed())),
  };
}

/** A rejection by the server. */
export function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
