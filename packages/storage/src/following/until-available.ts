import { DatabaseUnavailable } from "../engine/database-unavailable.ts";
import { backOffMs } from "./back-off.ts";

/** Repeats work while the database cannot be reached, with growing pauses. Any other fault ends it. */
export async function untilAvailable<Result>(
  work: () => Promise<Result>,
  onFault: (fault: DatabaseUnavailable) => void,
): Promise<Result> {
  for (let faults = 1; ; faults++) {
    try {
      return await work();
    } catch (fault) {
      if (!(fault instanceof DatabaseUnavailable)) throw fault;
      onFault(fault);
      await Bun.sleep(backOffMs(faults));
    }
  }
}
