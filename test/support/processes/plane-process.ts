import { builtProgram } from "../../../scripts/built-program.ts";
import { freePort } from "../servers/free-port.ts";
import { plainEnvironment } from "./tollgate-process.ts";

/** One plane without the supervisor, which would back off before each restart. It keeps its port. */
export class PlaneProcess {
  readonly port = freePort();
  #child: Bun.Subprocess | null = null;

  constructor(
    private readonly name: "gateway" | "control",
    private readonly dataDir: string,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const ready = Promise.withResolvers<void>();
    // Only its own: both planes on one port are refused.
    const variable = this.name === "gateway" ? "SVC_GATEWAY_PORT" : "SVC_WEB_PORT";
    const child = Bun.spawn([builtProgram(), this.name], {
      env: plainEnvironment({ SVC_DATA_DIR: this.dataDir, [variable]: String(this.port) }),
      stdio: ["ignore", "ignore", "inherit"],
      ipc: () => ready.resolve(),
    });
    this.#child = child;
    void child.exited.then(code => ready.reject(new Error(`the ${this.name} ended with ${code}`)));
    await ready.promise;
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#child?.kill(signal);
    await this.#child?.exited;
  }
}
