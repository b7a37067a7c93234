import { isFields, type JsonFields } from "../json-fields.ts";

/**
 * How often the model was run for one message. Blocks come in order: whatever the model says after the result of a
 * server tool is said in a new pass. A tool that was called by code, and not by the model, starts none.
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
