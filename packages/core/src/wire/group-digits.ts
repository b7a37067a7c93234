/** For sentences: 1823 → "1,823". */
export function groupDigits(number: number): string {
  return number.toLocaleString("en-US");
}
