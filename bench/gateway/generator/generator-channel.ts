/**
 * The protocol between a generator and the bench, one JSON line per message: the generator warms up, sends `ready`,
 * waits for a line (the bench reads the target's CPU time in between), then reports progress and its result. Exits with
 * stdin, so that a generator never outlives the bench.
 */

export type GeneratorEvent<Result> =
  | { readonly event: "ready" }
  | { readonly event: "progress"; readonly done: number }
  | { readonly event: "failed"; readonly reason: string }
  | { readonly event: "done"; readonly result: Result };

export class GeneratorChannel<Result> {
  private waiting: (() => void) | null = null;

  constructor() {
    void this.readLines();
  }

  say(event: GeneratorEvent<Result>): void {
    process.stdout.write(`${JSON.stringify(event)}\n`);
  }

  /** Sends `ready`, and continues once the bench answers. */
  async ready(): Promise<void> {
    const answered = new Promise<void>(resolve => {
      this.waiting = resolve;
    });
    this.say({ event: "ready" });
    await answered;
  }

  private async readLines(): Promise<void> {
    for await (const _line of console) {
      this.waiting?.();
      this.waiting = null;
    }
    process.exit(0);
  }
}

/** Runs one generator to its end: a result, or the reason why there is none. */
export async function runAsGenerator<Options, Result>(
  run: (options: Options, channel: GeneratorChannel<Result>) => Promise<Result>,
): Promise<never> {
  const channel = new GeneratorChannel<Result>();
  try {
    // The bench itself writes these options (runGenerator): both ends share the type.
    const options = JSON.parse(process.argv[2] ?? "null") as Options;
    channel.say({ event: "done", result: await run(options, channel) });
  } catch (error) {
    channel.say({ event: "failed", reason: error instanceof Error ? error.message : "unknown" });
  }
  process.exit(0);
}
