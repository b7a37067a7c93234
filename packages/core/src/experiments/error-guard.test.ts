import { describe, expect, it } from "bun:test";
import { ArmSums } from "./arm-sums.ts";
import { errorGuard } from "./error-guard.ts";

function failing(errors: number, calls: number): ArmSums {
  const sums = new ArmSums();
  for (let call = 0; call < calls; call += 1) sums.add(call < errors ? 1 : 0);
  return sums;
}

const messageOf = (control: number, treatment: number) =>
  errorGuard({ control: failing(control, 1000), treatment: failing(treatment, 1000) });

describe("the message of a guard that passes", () => {
  it("claims no more than the bound shows", () => {
    expect(messageOf(10, 19)).toMatchObject({
      passes: true,
      message: "The new model fails more often by at most 1.9 percentage points, with 95% confidence",
    });
    expect(messageOf(100, 10)).toMatchObject({
      passes: true,
      message: "The new model does not fail more often",
    });
  });
});
