export const grades = ["A", "B", "C", "D", "F"] as const;

export type HealthGrade = (typeof grades)[number];

/** Each grade but the last begins at this score. */
const floors: readonly (readonly [HealthGrade, number])[] = [
  ["A", 80],
  ["B", 60],
  ["C", 40],
  ["D", 20],
];

/** Of a whole score, the one that is shown: 79.5 is rounded to 80 first and is an A. */
export function gradeOf(score: number): HealthGrade {
  return floors.find(([, floor]) => score >= floor)?.[0] ?? "F";
}

/** Half up. */
export function wholeScore(score: number): number {
  // A hair more: sums of fractions that should be 79.5 may come out just below it.
  return Math.floor(score + 0.5 + 1e-9);
}
