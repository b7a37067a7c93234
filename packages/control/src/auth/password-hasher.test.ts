import { describe, expect, it } from "bun:test";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { PasswordHasher } from "./password-hasher.ts";

describe("PasswordHasher", () => {
  it("reads the hashes that are stored already, and writes such", async () => {
    const hasher = new PasswordHasher();
    const password = "Pässwörter ﬁnden";
    const stored = await hashPassword(password);
    expect(await hasher.verify({ hash: stored, password })).toBe(true);
    expect(await hasher.verify({ hash: stored, password: `${password}.` })).toBe(false);
    expect(await verifyPassword({ hash: await hasher.hash(password), password })).toBe(true);
    expect(await hasher.hash(password)).not.toBe(await hasher.hash(password));
  });

  it("does not take a hash that is none for a right password", async () => {
    const hasher = new PasswordHasher();
    for (const hash of ["", "salt", "salt:", ":", "salt:00"]) {
      expect(await hasher.verify({ hash, password: "" })).toBe(false);
    }
  });

  it("SEC-009 takes so many at once and refuses the next, before it has done anything", async () => {
    const hasher = new PasswordHasher(2);
    const first = Promise.withResolvers<string>();
    const running = [hasher.admit(() => first.promise), hasher.admit(() => first.promise)];
    let ran = false;
    const refused = hasher.admit(async () => {
      ran = true;
    });
    await expect(refused).rejects.toMatchObject({ code: "too_many_at_once", status: 429 });
    expect(ran).toBe(false);
    first.resolve("done");
    expect(await Promise.all(running)).toEqual(["done", "done"]);
    await expect(hasher.admit(() => Promise.reject(new Error("a fault")))).rejects.toThrow("a fault");
    expect(await hasher.admit(() => hasher.admit(async () => "again"))).toBe("again");
  });
});
