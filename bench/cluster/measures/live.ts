/** The live channel: viewers at every control plane see the calls of every node. */
import { percentile } from "../../kit/percentile.ts";
import { clockMs, sentAtMs } from "../../live/clock-id.ts";
import { openViewers } from "../../live/open-viewers.ts";
import { Load } from "../load.ts";
import type { Measure } from "./measure.ts";

const VIEWERS_PER_PLANE = 5;
const P99_LIMIT_MS = 250;
const LAST_MS = 5000;

export const live: Measure = {
  name: "live",
  async run(cluster, options) {
    const timesMs: number[] = [];
    let closed = 0;
    let isOver = false;
    const opened = await Promise.all(
      cluster.planes.map(({ tollgate }) =>
        openViewers(
          { web: tollgate.addressOf("web"), key: cluster.key, viewers: VIEWERS_PER_PLANE },
          text => {
            if (!text.startsWith('{"channel":"events"')) return;
            const sentAt = sentAtMs(text);
            if (sentAt !== null) timesMs.push(clockMs() - sentAt);
          },
          () => {
            if (!isOver) closed += 1;
          },
        ),
      ),
    );
    const load = new Load(cluster, "live", options.callsPerSecond);
    load.begin();
    await Bun.sleep(options.seconds * 1000);
    await load.end();
    // Only whole answers contain the time at which they were sent.
    const expected = load.wholeAnswers() * opened.flat().length;
    const until = performance.now() + LAST_MS;
    while (timesMs.length < expected && performance.now() < until) await Bun.sleep(10);
    isOver = true;
    for (const viewer of opened.flat()) viewer.close();
    const ascending = Float64Array.from(timesMs).sort();
    const at = (fraction: number) => percentile(ascending, fraction) ?? Number.NaN;
    const p99Ms = at(0.99);
    const missing = expected - timesMs.length;
    const numbers = `p50 ${at(0.5).toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms, longest ${at(1).toFixed(0)} ms`;
    return {
      lines: [
        `live channel, ${VIEWERS_PER_PLANE} viewers at each control plane: ${numbers}; ${timesMs.length} messages`,
      ],
      conditions: [
        {
          text: `viewers at every control plane see the calls of all nodes within ${P99_LIMIT_MS} ms (p99), each once`,
          verdict: p99Ms < P99_LIMIT_MS && missing === 0 && closed === 0 ? "PASS" : "FAIL",
          numbers: `${numbers}, ${missing} missing, ${closed} viewers closed`,
        },
      ],
    };
  },
};
