/** A click on a link or a button inside a row is not a click on the row. */
export function isInteractive(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, select, label") !== null;
}
