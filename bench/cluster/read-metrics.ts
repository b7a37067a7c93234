const PATIENCE_MS = 4000;

/** Keeps no connections: the process may be frozen or killed between two readings. */
const request = () => ({ keepalive: false, signal: AbortSignal.timeout(PATIENCE_MS) });

/** Whether a process answers, with 200. */
export async function isAnswering(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, request());
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** The sums of metrics over their labels; null: it does not answer. Unknown metrics are NaN. */
export async function readMetrics(
  url: string,
  names: readonly string[],
): Promise<Readonly<Record<string, number>> | null> {
  let text: string;
  try {
    text = await (await fetch(`${url}/metrics`, request())).text();
  } catch {
    return null;
  }
  return Object.fromEntries(
    names.map(name => {
      const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))];
      return [
        name,
        values.length === 0 ? Number.NaN : values.reduce((sum, [, value]) => sum + Number(value), 0),
      ];
    }),
  );
}
