import { describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { beginPosition, movePosition } from "../following/stored-position.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { shippingReader } from "./ship-ledger.ts";
import { readSidecarStatus, SidecarStatusWriter } from "./sidecar-status.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();

describe("a sidecar's status", () => {
  it("says until when everything is shipped, and stays as it was once the sidecar is gone", async () => {
    const database = await databases.open("sqlite");
    const path = inFolder("agent.json");
    let [nowMs, newestSeq] = [1000, 5];
    const writer = new SidecarStatusWriter(
      path,
      database,
      "node-1",
      { newestSeq: () => newestSeq, configurationAtMs: () => nowMs - 100, keptFrom: () => null },
      () => {},
      () => nowMs,
    );
    const updateAt = async (atMs: number, shippedSeq: number) => {
      nowMs = atMs;
      await movePosition(database.db, shippingReader("node-1"), { seq: shippedSeq, eventId: "e" });
      await writer.update();
      return readSidecarStatus(path);
    };
    await beginPosition(database.db, shippingReader("node-1"), LEDGER_START);
    expect(await updateAt(1000, 0)).toBeNull();
    newestSeq = 9;
    expect(await updateAt(2000, 5)).toEqual({
      databaseAtMs: 2000,
      configurationAtMs: 1900,
      shippedSeq: 5,
      completeAtMs: 1000,
      keptFrom: null,
    });
    expect(await updateAt(3000, 8)).toMatchObject({ shippedSeq: 8, completeAtMs: 1000 });
    expect(await updateAt(4000, 9)).toMatchObject({ shippedSeq: 9, completeAtMs: 2000 });

    // The ledger lost its end.
    newestSeq = 6;
    expect(await updateAt(5000, 9)).toMatchObject({ databaseAtMs: 5000, shippedSeq: 9, completeAtMs: 2000 });
    newestSeq = 9;
    const last = await updateAt(6000, 9);
    expect(last).toMatchObject({ completeAtMs: 4000 });

    await database.close();
    expect(writer.update()).rejects.toThrow();
    expect(readSidecarStatus(path)).toEqual(last);
    expect(existsSync(`${path}.new`)).toBe(false);
  });
});
