/** An id that begins with the time, so that objects created in the same millisecond keep their order. It can be guessed. */
export const newId = (): string => Bun.randomUUIDv7();
