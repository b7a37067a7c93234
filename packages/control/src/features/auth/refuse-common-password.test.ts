import { describe, expect, it } from "bun:test";
import { commonPasswords } from "./common-passwords.ts";
import { refuseCommonPassword } from "./refuse-common-password.ts";

const check = (password: string, email = "bob.miller@example.org") => refuseCommonPassword(password, email);

describe("refuseCommonPassword", () => {
  for (const password of [
    "password",
    "Password1",
    "P@ssw0rd!",
    "p455w0rd",
    "iloveyou",
    "12345678",
    "0123456789",
    "987654321",
    "qwertyuiop",
    "Qwerty123",
    "1q2w3e4r",
    "1qaz2wsx",
    "aaaaaaaa",
    "abababab",
    "11112222",
    "abcd1234",
    "12341234",
    "letmein!",
    "Summer2026!",
    "changeme",
    "!!admin!!",
    "welcome1",
    "drowssap",
    "Dr0wss4p1",
    "pass word",
    "p.a.s.s.w.o.r.d",
    "p@ss-word",
    "my password",
    "ＰＡＳＳＷＯＲＤ",
    "pássẅörd",
    "pass\u200bword",
    "$password",
    "p@ssw0rd@",
    "adm!n2026",
    "1-2-3-4-5-6-7-8",
    "a b c d e f g h",
    "correcthorse",
    "correct horse battery staple",
  ]) {
    it(`refuses ${password}`, () => expect(() => check(password)).toThrow(/too common/));
  }

  for (const password of ["tollgate", "Tollgate2026", "t0llg4te!"]) {
    it(`refuses the product's name: ${password}`, () => expect(() => check(password)).toThrow(/product/));
  }

  for (const password of [
    "bob.miller@example.org",
    "Bob.Miller",
    "bob.miller1",
    "example.org",
    "Example123",
    "bobmiller",
    "relliM.boB",
    "Miller2026",
    "bob_miller_example",
    "miller@example",
    "ｅｘａｍｐｌｅ.org",
  ]) {
    it(`refuses parts of the person's address: ${password}`, () => {
      expect(() => check(password)).toThrow(/e-mail address/);
    });
  }

  for (const password of [
    "seven quiet lanterns",
    "a new one",
    "xk7Qm2vd",
    "passwordless-gateways-rock",
    "tollgate keeps my money",
    "bob miller likes trains",
    "ünterwegs im zug",
    "8402617395",
    "-+*/.,:;#",
    "{-}a[*]b(+)",
  ]) {
    it(`accepts ${password}`, () => expect(() => check(password)).not.toThrow());
  }

  for (const password of [
    "localdomain",
    "localhost1",
    "admin@localhost",
    "Admin.Localhost!",
    "@dminl0calhost",
  ]) {
    it(`refuses a part of the first owner's address: ${password}`, () => {
      expect(() => check(password, "admin@localhost.localdomain")).toThrow(/e-mail address/);
    });
  }

  it("accepts digits even if the person's address consists of digits", () => {
    expect(() => check("8402617395", "42@example.org")).not.toThrow();
  });

  it("has hundreds of words in lower case, and quotes none of them", () => {
    expect(commonPasswords.size).toBeGreaterThan(400);
    expect([...commonPasswords].filter(word => !/^[a-z]+$/.test(word))).toEqual([]);
    expect(() => check("iloveyou")).toThrow(/^password: this password is too common; choose another$/);
  });
});
