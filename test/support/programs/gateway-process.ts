import { REQUEST_TIMEOUT_MS } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { startGateway } from "@tollgate/gateway/start-gateway";
import { flatPrice } from "../labs/budget-lab.ts";

/** A gateway that can be killed: `bun gateway-process.ts <data folder> <address of the provider>`. */
const [dataDir = "", provider = ""] = process.argv.slice(2);
const gateway = await startGateway({
  host: "127.0.0.1",
  port: 0,
  ledgerPath: `${dataDir}/ledger.db`,
  controlPath: `${dataDir}/control.db`,
  durability: "normal",
  providerTimeoutMs: 10_000,
  requestTimeoutMs: REQUEST_TIMEOUT_MS,
  onDisconnect: "abort",
  baseUrls: { openai: provider },
  priceOverrides: flatPrice,
  upgradeUrl: "",
  trustedProxies: TrustedProxies.none,
  log: () => {},
});
process.on("disconnect", () => process.exit());
process.send?.({ port: gateway.port });
