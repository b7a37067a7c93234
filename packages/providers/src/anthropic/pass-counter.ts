import { isFields, type JsonFields } from "../json-fields.ts";

/**
 * Counts the model passes behind one message. Blocks come in order, so a block that follows a server tool's result was
 * written in a new pass. Tools that were called from executed code, not by the model, start no pass.
 */
export class PassCounter {
  passes = 1;
  #isResultRead = false;

  count(block: unknown): void {
    if (!isFields(block) || isCalledByCode(block)) return;
    if (typeof block.type === "string" && block.type.endsWith("_tool_result")) {
      this.#isResultRead = true;
      return;
    }
    if (!this.#isResultRead) return;
    this.#isResultRead = false;
    this.passes++;
  }
}

function isCalledByCode({ caller }: JsonFields): boolean {
  return isFields(caller) && caller.type !== "direct";
}
