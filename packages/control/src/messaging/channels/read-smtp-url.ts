import { isLoopbackName } from "@tollgate/core/wire/loopback-name";

/** The mail server, from `SVC_SMTP_URL`. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps`); otherwise STARTTLS if offered. */
  readonly secure: boolean;
  /** Nothing is sent unless STARTTLS was offered and worked. */
  readonly requireTLS: boolean;
  readonly ignoreTLS: boolean;
  readonly isCertificateChecked: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | null;
  /** null: not set. */
  readonly from: string | null;
}

const switches = ["requireTLS", "ignoreTLS", "tls.rejectUnauthorized"];

/**
 * `smtp[s]://[user:password@]host[:port][?from=…&requireTLS=true&ignoreTLS=true&tls.rejectUnauthorized=false]`. A
 * password crosses a network only encrypted, unless `ignoreTLS` is set: a server that stops offering STARTTLS may be
 * a man in the middle. Throws a message that quotes no value, because one is a password.
 */
export function readSmtpUrl(smtpUrl: string): MailServer {
  const url = URL.parse(smtpUrl);
  if (!url || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "") {
    throw new Error("must be a URL such as smtp://user:password@host:587?from=alerts@host");
  }
  for (const [name, value] of url.searchParams) {
    // Ignoring a misspelt switch would send in clear what was meant to be encrypted.
    if (name !== "from" && !switches.includes(name))
      throw new Error(
        "takes no parameters other than from, requireTLS, ignoreTLS and tls.rejectUnauthorized",
      );
    if (name !== "from" && value !== "true" && value !== "false")
      throw new Error(`${name} must be true or false`);
    if (name === "from" && !isSender(value)) throw new Error("from must be an e-mail address");
  }
  const says = (name: string) => url.searchParams.get(name);
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const secure = url.protocol === "smtps:";
  const ignoreTLS = says("ignoreTLS") === "true";
  const auth = url.username === "" ? null : { user: decoded(url.username), pass: decoded(url.password) };
  const isInClear = !secure && !ignoreTLS;
  return {
    host,
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: says("requireTLS") === "true" || (auth !== null && isInClear && !isLoopbackName(host)),
    ignoreTLS,
    isCertificateChecked: says("tls.rejectUnauthorized") !== "false",
    auth,
    from: says("from"),
  };
}

/** An address, or a name and an address in angle brackets. */
function isSender(text: string): boolean {
  return /^(?:[^\p{Cc}<>@]* <[^\s\p{Cc}<>@,]+@[^\s\p{Cc}<>@,]+>|[^\s\p{Cc}<>@,]+@[^\s\p{Cc}<>@,]+)$/u.test(
    text,
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error("the user name and password must be percent-encoded");
  }
}
