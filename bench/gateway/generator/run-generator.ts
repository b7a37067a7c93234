import { resolve } from "node:path";
import { endWithBench, plainEnvironment } from "../../kit/owned-process.ts";
import type { GeneratorEvent } from "./generator-channel.ts";

export interface GeneratorHooks {
  /** Warmed up and idle: the moment to read counters. Measuring starts when it returns. */
  readonly ready?: () => void | Promise<void>;
  readonly progress?: (done: number) => void;
}

const START_SECONDS = 30;

/**
 * Runs one generator script, from this folder or with an absolute path, in its own process. Rejects with its reason, or if
 * it takes far too long.
 */
export async function runGenerator<Options extends { readonly maxSeconds: number }, Result>(
  script: string,
  options: Options,
  hooks: GeneratorHooks = {},
): Promise<Result> {
  const child = Bun.spawn([process.execPath, resolve(import.meta.dir, script), JSON.stringify(options)], {
    env: plainEnvironment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const forget = endWithBench(child);
  // The generator limits warm-up and measurement itself; this is for one that hangs.
  const limit = setTimeout(() => child.kill("SIGKILL"), (2 * options.maxSeconds + START_SECONDS) * 1000);
  try {
    for await (const line of lines(child.stdout)) {
      // Our own script wrote the line: both ends share the type.
      const event = JSON.parse(line) as GeneratorEvent<Result>;
      switch (event.event) {
        case "ready":
          await hooks.ready?.();
          child.stdin.write("go\n");
          child.stdin.flush();
          break;
        case "progress":
          hooks.progress?.(event.done);
          break;
        case "failed":
          throw new Error(event.reason);
        case "done":
          return event.result;
      }
    }
    throw new Error(`${script} ended without a result`);
  } finally {
    clearTimeout(limit);
    child.kill("SIGKILL");
    await child.exited;
    forget();
  }
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of stream) {
    rest += decoder.decode(piece, { stream: true });
    const parts = rest.split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
