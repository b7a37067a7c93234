import { z } from "zod";
import { ArmSums } from "./arm-sums.ts";
import type { Arms } from "./sequential-test.ts";

export const sumsText = z.array(z.string());
/** The sums of both arms as they are stored. */
export const armsText = z.strictObject({ control: sumsText, treatment: sumsText });

export function emptyArms(): Arms<ArmSums> {
  return { control: new ArmSums(), treatment: new ArmSums() };
}

export function parseArms({ control, treatment }: z.output<typeof armsText>): Arms<ArmSums> {
  return { control: ArmSums.parse(control), treatment: ArmSums.parse(treatment) };
}

export function storedArms({ control, treatment }: Arms<ArmSums>): z.input<typeof armsText> {
  return { control: control.toJSON(), treatment: treatment.toJSON() };
}
