/** A clock that only moves when the test moves it. */
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
