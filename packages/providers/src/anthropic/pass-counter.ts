import { estimateTokens, unseenResultTokens } from "@tollgate/core/pricing/estimate";
import { toolResultBytes } from "@tollgate/core/pricing/prompt-bytes";
import { isJsonObject, type JsonObject } from "@tollgate/core/wire/json-fields";

/**
 * Counts the model passes behind one message. Blocks come in order, so a block that follows a server tool's result was
 * written in a new pass. Tools that were called from executed code, not by the model, start no pass, and what they return
 * is read by that code.
 */
export class PassCounter {
  passes = 1;
  #isResultRead = false;
  #resultTokens = 0;
  /** At the beginning of each pass after the first. */
  readonly #laterPasses: number[] = [];
  /** Uses whose result has not come yet, with what such a result is taken to hold. */
  #pendingUses = 0;
  #pendingTokens = 0;

  count(block: unknown): void {
    if (!isJsonObject(block) || isCalledByCode(block)) return;
    const type = typeof block.type === "string" ? block.type : "";
    if (type.endsWith("_tool_result")) {
      this.#isResultRead = true;
      this.#resultTokens += estimateTokens(toolResultBytes(block.content));
      if (--this.#pendingUses <= 0) this.#pendingUses = this.#pendingTokens = 0;
      return;
    }
    if (this.#isResultRead) {
      this.#isResultRead = false;
      this.passes++;
      this.#laterPasses.push(this.#resultTokens);
    }
    if (type.endsWith("_tool_use")) {
      this.#pendingUses++;
      this.#pendingTokens += unseenResultTokens(typeof block.name === "string" ? block.name : "");
    }
  }

  /**
   * The tokens of results that each pass after the first has read. The provider runs a tool and continues with its
   * result on its own: the pass after the last use counts, even if nothing of it was seen.
   */
  laterPasses(): readonly number[] {
    if (!this.#isResultRead && this.#pendingUses === 0) return [...this.#laterPasses];
    return [...this.#laterPasses, this.#resultTokens + this.#pendingTokens];
  }
}

function isCalledByCode({ caller }: JsonObject): boolean {
  return isJsonObject(caller) && caller.type !== "direct";
}
