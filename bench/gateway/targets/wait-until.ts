import type { OwnedProcess } from "../../kit/owned-process.ts";

const POLL_MS = 25;

/** Waits for a started program to become usable; otherwise throws with its last output. */
export async function waitUntil(
  what: string,
  program: OwnedProcess,
  limitMs: number,
  usable: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await usable())) {
    if (program.hasExited()) throw new Error(`${what} exited immediately: ${program.lastWords()}`);
    if (performance.now() > deadline) {
      throw new Error(`${what} did not answer in ${limitMs / 1000} s: ${program.lastWords()}`);
    }
    await Bun.sleep(POLL_MS);
  }
}

export async function accepts(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    socket.terminate();
    return true;
  } catch {
    return false;
  }
}
