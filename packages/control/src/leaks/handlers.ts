import type { leakOperations } from "@tollgate/core/contract/leaks";
import type { Handlers } from "../kernel/handler.ts";
import { costLeakScanRun } from "./cost-leak-scan-run.ts";

export const leakHandlers: Handlers<typeof leakOperations> = {
  "cost_leak_scan.run": costLeakScanRun,
};
