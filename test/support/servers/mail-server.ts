import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly at: number;
  readonly to: readonly string[];
  readonly mail: Email;
}

/** A real SMTP server on loopback; accepted mails are parsed and stored. */
export async function startMailServer() {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, accept) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", async () => {
        received.push({
          at: Date.now(),
          to: session.envelope.rcptTo.map(({ address }) => address),
          mail: await PostalMime.parse(Buffer.concat(pieces)),
        });
        accept();
      });
    },
  });
  await new Promise<void>(listening => server.listen(0, "127.0.0.1", listening));
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("the mail server has no port");
  return {
    url: `smtp://127.0.0.1:${address.port}?from=tollgate@example.com`,
    received,
    stop: () => new Promise<void>(closed => server.close(() => closed())),
  };
}
