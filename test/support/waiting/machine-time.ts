import { VirtualTime } from "./virtual-time.ts";

/** Whose code runs. One that is frozen runs it when it thaws, a dead one never. */
export interface Machine {
  isDead: boolean;
  frozenUntilMs: number;
}

interface Timer {
  isCleared: boolean;
}

const realTimers = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

/** Virtual time of several simulated machines in one process. While it is installed, their code's `setTimeout` uses it. */
export class MachineTime {
  readonly #time = new VirtualTime();
  /** Also while promises are settled after its timer. */
  #machine: Machine | null = null;

  get nowMs(): number {
    return this.#time.now();
  }

  install(): void {
    const set = (run: () => void, ms = 0) => {
      const timer = { isCleared: false, unref: () => timer };
      this.after(ms, this.#machine, () => {
        if (!timer.isCleared) run();
      });
      return timer;
    };
    const clear = (timer?: Timer) => {
      if (timer !== undefined) timer.isCleared = true;
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }

  uninstall(): void {
    Object.assign(globalThis, realTimers);
  }

  /** As code of the machine, `ms` from now. */
  after(ms: number, machine: Machine | null, run: () => void): void {
    this.#time.at(this.nowMs + ms, () => {
      if (machine?.isDead) return;
      if (machine !== null && machine.frozenUntilMs > this.nowMs) {
        this.after(machine.frozenUntilMs - this.nowMs, machine, run);
        return;
      }
      this.#machine = machine;
      run();
    });
  }

  /** Runs all timers of the next `ms`. */
  pass(ms: number): Promise<void> {
    return this.#time.advanceTo(this.nowMs + ms);
  }
}
