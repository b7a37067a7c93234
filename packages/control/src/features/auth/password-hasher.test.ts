import { describe, expect, it } from "bun:test";
import { parseIpAddress } from "@tollgate/core/wire/ip-address";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { slotsOfAccount, slotsOfClient } from "./hashing-slots.ts";
import { PasswordHasher } from "./password-hasher.ts";

describe("PasswordHasher", () => {
  it("reads and writes hashes in the stored format", async () => {
    const hasher = new PasswordHasher();
    const password = "Pässwörter ﬁnden";
    const stored = await hashPassword(password);
    expect(await hasher.verify({ hash: stored, password })).toBe(true);
    expect(await hasher.verify({ hash: stored, password: `${password}.` })).toBe(false);
    expect(await verifyPassword({ hash: await hasher.hash(password), password })).toBe(true);
    expect(await hasher.hash(password)).not.toBe(await hasher.hash(password));
  });

  it("rejects every password for a malformed hash", async () => {
    const hasher = new PasswordHasher();
    for (const hash of ["", "salt", "salt:", ":", "salt:00"]) {
      expect(await hasher.verify({ hash, password: "" })).toBe(false);
    }
  });

  it("SEC-009 admits a fixed number at once and refuses the next before any work is done", async () => {
    const hasher = new PasswordHasher(2);
    const first = Promise.withResolvers<string>();
    const running = [hasher.admit([], () => first.promise), hasher.admit([], () => first.promise)];
    let ran = false;
    const refused = hasher.admit([], async () => {
      ran = true;
    });
    await expect(refused).rejects.toMatchObject({ code: "too_many_at_once", status: 429 });
    expect(ran).toBe(false);
    first.resolve("done");
    expect(await Promise.all(running)).toEqual(["done", "done"]);
    await expect(hasher.admit([], () => Promise.reject(new Error("a fault")))).rejects.toThrow("a fault");
    expect(await hasher.admit([], () => hasher.admit([], async () => "again"))).toBe("again");
  });

  it("SEC-009 keeps one client's network from taking every slot", async () => {
    const hasher = new PasswordHasher();
    const { promise, resolve } = Promise.withResolvers<void>();
    const ask = (address: string) => hasher.admit(slotsOfClient(parseIpAddress(address)), () => promise);
    const running = Array.from({ length: 10 }, () => ask("192.0.2.1"));
    const refused = { code: "too_many_at_once", status: 429 };
    await expect(ask("192.0.2.1")).rejects.toMatchObject(refused);
    running.push(ask("192.0.2.2"));
    for (let i = 0; i < 10; i++) running.push(ask(`2001:db8:1:1::${i}`));
    await expect(ask("2001:db8:1:1::99")).rejects.toMatchObject(refused);
    // Another /64 of the same /48 has slots until the /48 has used its share.
    for (let i = 2; i < 12; i++) running.push(ask(`2001:db8:1:${i}::1`));
    await expect(ask("2001:db8:1:99::1")).rejects.toMatchObject(refused);
    running.push(ask("2001:db8:2:1::1"));
    resolve();
    await Promise.all(running);
    expect(await ask("192.0.2.1")).toBeUndefined();
    expect(await ask("2001:db8:1:1::1")).toBeUndefined();
  });

  it("gives a signed-in person one slot at a time", async () => {
    const hasher = new PasswordHasher();
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = hasher.admit(slotsOfAccount("ann"), () => promise);
    const second = hasher.admit(slotsOfAccount("ann"), () => promise);
    await expect(second).rejects.toMatchObject({ code: "too_many_at_once" });
    expect(await hasher.admit(slotsOfAccount("bob"), async () => "done")).toBe("done");
    resolve();
    await running;
  });
});
