import { checkClock } from "./check-clock.ts";
import { checkDataDirectory } from "./check-data-directory.ts";
import { checkDatabases } from "./check-databases.ts";
import { checkDeliveries } from "./check-deliveries.ts";
import { checkDisk } from "./check-disk.ts";
import { checkPorts } from "./check-ports.ts";
import { checkPrices } from "./check-prices.ts";
import { checkReaders } from "./check-readers.ts";
import { checkStart } from "./check-start.ts";
import type { Check, Finding, Patient } from "./finding.ts";

/** A new check is one file and one line here. */
const checks: readonly Check[] = [
  checkDataDirectory,
  checkDisk,
  checkDatabases,
  checkStart,
  checkReaders,
  checkClock,
  checkPorts,
  checkPrices,
  checkDeliveries,
];

/** Runs every check. A check that fails to run is reported as an error, and the others still run. */
export async function examine(patient: Patient): Promise<Finding[]> {
  // With invalid settings no command gets this far.
  const findings: Finding[] = [{ check: "settings", level: "ok", message: "valid" }];
  for (const { name, run } of checks) {
    try {
      await run(patient, (level, message) => findings.push({ check: name, level, message }));
    } catch (fault) {
      const reason = fault instanceof Error ? fault.message : String(fault);
      findings.push({ check: name, level: "error", message: `the check failed: ${reason}` });
    }
  }
  return findings;
}
