import { afterAll, describe, expect, it } from "bun:test";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { SAMPLE_DAY, sampleIntent } from "../../../test/support/sample-event.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { AnswerPace } from "./answer-pace.ts";
import { recover } from "./recover.ts";

const file = temporaryFolder()("ledger.db");
const opened: { close(): void }[] = [];
afterAll(() => {
  for (const handle of opened) handle.close();
});

describe("a call that was under way when the gateway died", () => {
  it("EXP-002 becomes an event of its own arm, and of none where it was in no experiment", async () => {
    const dying = new Ledger(file, "normal", () => {});
    await dying.journal(
      sampleIntent("a", { experiment_id: "e", arm: "treatment", requested_model: "gpt-4.1" }),
      null,
    );
    await dying.journal(sampleIntent("b"), null);
    dying.close();
    const ledger = new Ledger(file, "normal", () => {});
    const reader = new LedgerReader(file);
    opened.push(ledger, reader);
    expect(await recover(ledger, createCatalogue(), new AnswerPace(), SAMPLE_DAY)).toBe(2);
    const events = reader.after(0, 10).map(({ event }) => event);
    expect(events).toMatchObject([
      {
        id: "a",
        status: "interrupted",
        experiment_id: "e",
        arm: "treatment",
        model: "gpt-4o-mini",
        requested_model: "gpt-4.1",
      },
      { id: "b", status: "interrupted", experiment_id: null, arm: null },
    ]);
  });
});
