import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { SAMPLE_DAY, sampleSettlement } from "../rows/sample-event.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface FilledLedger {
  readonly path: string;
  readonly ledger: Ledger;
  readonly reader: LedgerReader;
}

/** Ledgers with calls of a few agents, sessions and customers, one a minute, for the tests of one file. */
export function filledLedgers(): (events: number) => Promise<FilledLedger> {
  const inFolder = temporaryFolder();
  let made = 0;
  return async events => {
    const path = inFolder(`ledger-${++made}.db`);
    const ledger = new Ledger(path, "normal");
    await ledger.append(
      Array.from({ length: events }, (_, index) =>
        sampleSettlement(`event ${index}`, {
          created_at: SAMPLE_DAY + index * 60_000,
          agent_key: `agent ${index % 7}`,
          session_id: `session ${index % 50}`,
          customer_id: index % 3 === 0 ? `customer ${index % 11}` : null,
        }),
      ),
    );
    return { path, ledger, reader: new LedgerReader(path) };
  };
}
