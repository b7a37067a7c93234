/** A clock that stands until it is moved. */
export function fakeClock(start: string) {
  let at = Date.parse(start);
  return {
    now: () => at,
    set: (time: string) => {
      at = Date.parse(time);
    },
    advance: (ms: number) => {
      at += ms;
    },
  };
}
