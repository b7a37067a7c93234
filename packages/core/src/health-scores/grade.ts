export const grades = ["A", "B", "C", "D", "F"] as const;

export type HealthGrade = (typeof grades)[number];

/** The minimum score of each grade except the last. */
const floors: readonly (readonly [HealthGrade, number])[] = [
  ["A", 80],
  ["B", 60],
  ["C", 40],
  ["D", 20],
];

/** Takes the displayed integer score: 79.5 is rounded to 80 first and is an A. */
export function gradeOf(score: number): HealthGrade {
  return floors.find(([, floor]) => score >= floor)?.[0] ?? "F";
}

/** Rounds half up. */
export function wholeScore(score: number): number {
  // Slightly more: sums of fractions that should be 79.5 may be just below it.
  return Math.floor(score + 0.5 + 1e-9);
}
