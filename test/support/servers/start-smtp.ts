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

/** A real mail server on loopback, as strange as a test wants it. */
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
  // What a client does to the connection is the test's to judge, not a fault of the test.
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

/** What a server answers instead of OK. */
export function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
