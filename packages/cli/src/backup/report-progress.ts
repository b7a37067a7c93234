const SAY_EVERY_BYTES = 256 * 1024 * 1024;
const MEGABYTE = 1_000_000;

export const megabytes = (bytes: number) => `${Math.ceil(bytes / MEGABYTE)} MB`;

/** One line per quarter of a gigabyte; smaller copies finish too soon to need one. */
export function reportProgress(note: (text: string) => void, name: string, totalBytes: number) {
  let saidAt = 0;
  return (bytes: number): void => {
    if (bytes - saidAt < SAY_EVERY_BYTES) return;
    saidAt = bytes;
    note(`${name}: ${megabytes(bytes)} of ${megabytes(totalBytes)}…`);
  };
}
