const MAX_SPARE = 256;

const spare: AbortController[] = [];

/** A controller that never aborted is as good as new. Making one for every call is a tenth of the collector's work. */
export function takeController(): AbortController {
  return spare.pop() ?? new AbortController();
}

/** Only when nothing that holds its signal can still be aborted by it: the next call must not be ended by this one. */
export function giveBackController(controller: AbortController): void {
  if (!controller.signal.aborted && spare.length < MAX_SPARE) spare.push(controller);
}
