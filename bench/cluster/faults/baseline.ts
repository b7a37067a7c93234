import { type Fault, NOTHING_ELSE } from "./fault.ts";

/** What the load looks like when nothing fails. */
export const baseline: Fault = {
  name: "baseline",
  title: () => "no fault",
  async strike({ options }) {
    await Bun.sleep(options.seconds * 1000);
    return NOTHING_ELSE;
  },
};
