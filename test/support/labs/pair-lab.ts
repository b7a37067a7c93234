import { afterEach } from "bun:test";
import { eventually } from "../waiting/eventually.ts";
import { startVerificationLab, type VerificationChange } from "./verification-lab.ts";

export type PairLab = Awaited<ReturnType<typeof startVerificationLab>>;

/** Gateways with a verification that has begun, each stopped after its test. */
export function pairLabs() {
  const labs: PairLab[] = [];
  afterEach(async () => {
    for (const lab of labs.splice(0)) await lab.stop();
  });
  return async (change?: VerificationChange, options?: Parameters<typeof startVerificationLab>[0]) => {
    const lab = await startVerificationLab(options);
    labs.push(lab);
    await lab.begin(change);
    return lab;
  };
}

/** A prompt that is drawn for a pair, not for a control, which one in ten is. */
export async function gradeOne(lab: PairLab, prompt: string, more: Parameters<PairLab["call"]>[1] = {}) {
  for (;;) {
    const before = lab.results().length;
    await lab.call(prompt, more);
    await lab.graded(before + 1);
    const last = lab.results().at(-1);
    if (last?.kind === "candidate") return last;
  }
}

export async function noneUnderWay(lab: PairLab) {
  await eventually("no call is under way", async () => {
    const metrics = await (await fetch(`${lab.gateway.url}/metrics`)).text();
    return /^svc_gateway_in_flight 0$/m.test(metrics);
  });
}
