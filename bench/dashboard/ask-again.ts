import type { Cookie } from "playwright-core";
import { median } from "../kit/percentile.ts";

const TIMES = 5;

export interface Answered {
  readonly path: string;
  readonly ms: number;
  readonly bytes: number;
}

/** A page's questions, one at a time and without a browser: the median of five answers each, slowest first. */
export async function askAgain(
  url: string,
  session: readonly Cookie[],
  paths: readonly string[],
): Promise<Answered[]> {
  const cookie = session.map(({ name, value }) => `${name}=${value}`).join("; ");
  const answered: Answered[] = [];
  for (const path of new Set(paths)) {
    const times: number[] = [];
    let bytes = 0;
    for (let turn = 0; turn < TIMES; turn++) {
      const startedAt = performance.now();
      const answer = await fetch(url + path, { headers: { cookie } });
      bytes = (await answer.arrayBuffer()).byteLength;
      times.push(performance.now() - startedAt);
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    }
    answered.push({ path, ms: median(times) ?? Number.NaN, bytes });
  }
  return answered.sort((a, b) => b.ms - a.ms);
}
