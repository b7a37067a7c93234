import { describe, expect, it } from "bun:test";
import { readSmtpUrl } from "./read-smtp-url.ts";

describe("SVC_SMTP_URL", () => {
  it("has host, port, encryption, login and sender", () => {
    expect(readSmtpUrl("smtp://us%40er:p%3As%2Fs@Mail.Example?from=Tollgate <a@b.example>")).toEqual({
      host: "mail.example",
      port: 587,
      secure: false,
      requireTLS: true,
      ignoreTLS: false,
      isCertificateChecked: true,
      auth: { user: "us@er", pass: "p:s/s" },
      from: "Tollgate <a@b.example>",
    });
  });

  it.each([
    ["smtp://mail.example", { port: 587, secure: false, requireTLS: false, auth: null, from: null }],
    ["smtps://mail.example", { port: 465, secure: true, requireTLS: false }],
    ["smtp://mail.example:25?requireTLS=true", { port: 25, requireTLS: true }],
    ["smtps://u:p@mail.example", { secure: true, requireTLS: false }],
    ["smtp://u:p@mail.example?ignoreTLS=true", { requireTLS: false, ignoreTLS: true }],
    ["smtp://u:p@127.0.0.1:2525", { host: "127.0.0.1", port: 2525, requireTLS: false }],
    ["smtp://u:p@[::1]", { host: "::1", requireTLS: false }],
    ["smtp://u:p@LOCALHOST", { host: "localhost", requireTLS: false }],
    ["smtp://u:p@127.9.9.9", { requireTLS: false }],
    ["smtp://u:p@127.999.999.999", { requireTLS: true }],
    ["smtp://u:p@127.evil.example", { requireTLS: true }],
    ["smtps://mail.example?tls.rejectUnauthorized=false", { isCertificateChecked: false }],
  ] as const)("%s: a password is not sent in clear text unless ignoreTLS is set", (url, expected) => {
    expect(readSmtpUrl(url)).toMatchObject(expected);
  });
});
