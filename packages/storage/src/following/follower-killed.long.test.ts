import { describe, expect, it } from "bun:test";
import { engines } from "../../../../test/support/labs/control-databases.ts";
import { followerLabs, startRecording } from "../../../../test/support/labs/follower-lab.ts";

const openLab = followerLabs();

describe.each(engines)("a follower on %s", engine => {
  it("REL-007 repeats and skips nothing if its process is killed, before whichever statement", async () => {
    const lab = await openLab(engine);
    let kills = 0;
    for (let statement = 1, code: number | null = null; code !== 0; statement++) {
      await lab.append(3);
      const child = startRecording(lab, statement);
      await child.exited;
      code = child.exitCode;
      if (child.signalCode === "SIGKILL") kills++;
      expect(await lab.isExact()).toBe(true);
    }
    expect(kills).toBeGreaterThan(5);
    expect(await lab.recorded()).toEqual(lab.ids);
  });
});
