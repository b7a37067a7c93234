/** The control plane on a prepared directory, with a clock that starts where its events end. Exits with its stdin. */
import { join } from "node:path";
import { startControl } from "@tollgate/control/start-control";
import { serveDashboard } from "@tollgate/dashboard/serve-dashboard";
import { END } from "../data/staged-fleet.ts";
import { PUBLIC_URL, SECRET } from "./control-identity.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("the directory is missing");
const controlPath = join(folder, "control.db");
const startedAt = performance.now();
const control = await startControl({
  host: "127.0.0.1",
  port: 0,
  database: { kind: "sqlite", path: controlPath },
  controlPath,
  ledgerPath: join(folder, "ledger.db"),
  publicUrl: PUBLIC_URL,
  secret: SECRET,
  oidc: null,
  pages: serveDashboard,
  log: (level, message, fields) => console.error(JSON.stringify({ level, message, ...fields })),
  now: () => Math.floor(END + performance.now() - startedAt),
});
process.stdout.write(`${control.url}\n`);
for await (const _line of console) {
  // No input is expected.
}
await control.stop();
process.exit(0);
