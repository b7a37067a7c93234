import { checkClock } from "./check-clock.ts";
import { checkDataDirectory } from "./check-data-directory.ts";
import { checkDatabases } from "./check-databases.ts";
import { checkDeliveries } from "./check-deliveries.ts";
import { checkDisk } from "./check-disk.ts";
import { checkPorts } from "./check-ports.ts";
import { checkPrices } from "./check-prices.ts";
import { checkReaders } from "./check-readers.ts";
import type { Check, Finding, Patient } from "./finding.ts";

/** A new one is a file and a line. */
const checks: readonly Check[] = [
  checkDataDirectory,
  checkDisk,
  checkDatabases,
  checkReaders,
  checkClock,
  checkPorts,
  checkPrices,
  checkDeliveries,
];

/** Looks at everything; a check that cannot be made is an error of its own, and the others are made all the same. */
export async function examine(patient: Patient): Promise<Finding[]> {
  // Bad settings never get here: they end every command, with all of them named.
  const findings: Finding[] = [{ check: "settings", level: "ok", message: "valid" }];
  for (const { name, run } of checks) {
    try {
      await run(patient, (level, message) => findings.push({ check: name, level, message }));
    } catch (fault) {
      const reason = fault instanceof Error ? fault.message : String(fault);
      findings.push({ check: name, level: "error", message: `cannot be looked at: ${reason}` });
    }
  }
  return findings;
}
