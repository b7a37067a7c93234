import { estimateTokens, unseenResultTokens } from "@tollgate/core/pricing/estimate";
import { toolResultBytes } from "@tollgate/core/pricing/measure-prompt";
import { isJsonObject } from "@tollgate/core/wire/json-fields";

/**
 * Counts the model iterations behind one message. Blocks come in order, so a block after a server tool's result was
 * written in a new iteration. Tools called from executed code, not by the model, start no iteration: that code reads
 * their results. Nor does the result of a use in an earlier message: the first iteration has read it.
 */
export class IterationCounter {
  iterations = 1;
  /** The reported number of searches then includes some that started no iteration. */
  hasCallsByCode = false;
  #isResultRead = false;
  #resultTokens = 0;
  /** Result tokens at the start of each iteration after the first. */
  readonly #toolResultTokens: number[] = [];
  /** Ids of the uses in this message. */
  readonly #uses: unknown[] = [];
  /** Tool uses without a result so far, and the estimated tokens of their results. */
  #pendingUses = 0;
  #pendingTokens = 0;

  count(block: unknown): void {
    if (!isJsonObject(block)) return;
    if (isCalledByCode(block)) {
      this.hasCallsByCode = true;
      return;
    }
    const type = typeof block.type === "string" ? block.type : "";
    if (type.endsWith("_tool_result")) {
      if (!this.#uses.includes(block.tool_use_id)) return;
      this.#isResultRead = true;
      this.#resultTokens += estimateTokens(toolResultBytes(block.content));
      if (--this.#pendingUses <= 0) this.#pendingUses = this.#pendingTokens = 0;
      return;
    }
    if (this.#isResultRead) {
      this.#isResultRead = false;
      this.iterations++;
      this.#toolResultTokens.push(this.#resultTokens);
    }
    if (type.endsWith("_tool_use")) {
      this.#uses.push(block.id);
      this.#pendingUses++;
      this.#pendingTokens += unseenResultTokens(typeof block.name === "string" ? block.name : "");
    }
  }

  /**
   * For each iteration after the first, the tokens of results that it has read. The provider runs a tool and continues
   * with its result on its own: the iteration after the last use counts, even if nothing of it was seen.
   */
  toolResultTokens(): readonly number[] {
    if (!this.#isResultRead && this.#pendingUses === 0) return [...this.#toolResultTokens];
    return [...this.#toolResultTokens, this.#resultTokens + this.#pendingTokens];
  }
}

/** Written by code that the provider executes, not by a model. */
export function isCalledByCode(block: unknown): boolean {
  return isJsonObject(block) && isJsonObject(block.caller) && block.caller.type !== "direct";
}
