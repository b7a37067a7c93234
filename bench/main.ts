/** `npm run bench -- [name] [arguments]`: one folder per bench, one line here. */
import { runAnalyticsBench } from "./analytics/main.ts";
import { runClusterBench } from "./cluster/main.ts";
import { runDashboardBench } from "./dashboard/main.ts";
import { runEstimatesBench } from "./estimates/main.ts";
import { runFollowingBench } from "./following/main.ts";
import { runGatewayBench } from "./gateway/main.ts";
import { runLiveBench } from "./live/main.ts";
import { runTelemetryBench } from "./telemetry/main.ts";
import { runTenantsBench } from "./tenants/main.ts";
import { runToolsBench } from "./tools/main.ts";
import { runWebhooksBench } from "./webhooks/main.ts";

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  analytics: runAnalyticsBench,
  cluster: runClusterBench,
  dashboard: runDashboardBench,
  estimates: runEstimatesBench,
  following: runFollowingBench,
  gateway: runGatewayBench,
  live: runLiveBench,
  tenants: runTenantsBench,
  telemetry: runTelemetryBench,
  tools: runToolsBench,
  webhooks: runWebhooksBench,
};

const [first, ...rest] = process.argv.slice(2);
const named = first !== undefined && !first.startsWith("-");
const name = named ? first : "gateway";
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench === undefined) {
  console.error(`there is no bench \`${name}\`; there are: ${Object.keys(benches).join(", ")}`);
  process.exit(2);
}
process.exit(await bench(named ? rest : process.argv.slice(2)));
