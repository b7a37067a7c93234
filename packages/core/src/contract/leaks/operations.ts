import { costLeakScanRun } from "./cost-leak-scan-run.ts";

export const leakOperations = {
  "cost_leak_scan.run": costLeakScanRun,
} as const;
