/** Waits until a slow pipe has taken all of it: exiting right after a write would truncate the output. */
export function print(text: string): Promise<void> {
  return new Promise(resolve => process.stdout.write(text, () => resolve()));
}
