import { ArmSums } from "./arm-sums.ts";

/**
 * One good and one bad sample more (Agresti and Caffo): samples that are all alike have no variance, and the test could
 * say nothing about them.
 */
export function withBoth(sums: ArmSums): ArmSums {
  const copy = ArmSums.parse(sums.toJSON());
  copy.add(0);
  copy.add(1);
  return copy;
}
