import { builtProgram } from "../../../scripts/built-program.ts";
import { plainEnvironment } from "./tollgate-process.ts";

/** One plane without the supervisor, which would back off before each restart. It keeps its port. */
export class PlaneProcess {
  port = 0;
  #child: Bun.Subprocess | null = null;

  constructor(
    private readonly name: "gateway" | "control",
    private readonly dataDir: string,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const ready = Promise.withResolvers<number>();
    // Only its own: both planes on one port are refused.
    const variable = this.name === "gateway" ? "SVC_GATEWAY_PORT" : "SVC_WEB_PORT";
    const child = Bun.spawn([builtProgram(), this.name], {
      env: plainEnvironment({ SVC_DATA_DIR: this.dataDir, [variable]: String(this.port) }),
      stdio: ["ignore", "ignore", "inherit"],
      ipc: (message: { ready: string }) => ready.resolve(Number(new URL(message.ready).port)),
    });
    this.#child = child;
    void child.exited.then(code => ready.reject(new Error(`the ${this.name} ended with ${code}`)));
    this.port = await ready.promise;
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#child?.kill(signal);
    await this.#child?.exited;
  }
}
