import { startControl } from "@tollgate/control/start-control";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { stripeSettings } from "../labs/checkout-lab.ts";

/**
 * A control plane that kills itself between the commit of a payment's grant and the answer to its notice:
 * `bun killed-after-grant.ts <data folder>`.
 */
const [dataDir = ""] = process.argv.slice(2);
const controlPath = `${dataDir}/control.db`;
const ledgerPath = `${dataDir}/ledger.db`;
new Ledger(ledgerPath, "normal").close();
const control = await startControl({
  host: "127.0.0.1",
  port: 0,
  database: { kind: "sqlite", path: controlPath },
  controlPath,
  ledgerPath,
  publicUrl: "http://tollgate.test",
  secret: "a secret that is long enough for every test",
  oidc: null,
  checkout: { stripe: stripeSettings(), isOpenToStrangers: false, operatorContact: null },
  log: (_level, message) => {
    if (message === "a payment was reported") process.kill(process.pid, "SIGKILL");
  },
});
process.on("disconnect", () => process.exit());
process.send?.({ url: control.url });
