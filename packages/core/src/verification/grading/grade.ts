/** The rule that determined a score; `captured`: the organization graded the pair itself. */
export const graders = ["failure", "validity", "equality", "judge", "captured"] as const;

export type Grader = (typeof graders)[number];

/** The candidate compared with the production model, in [−1, 1]: 0 equally good, −1 clearly worse, 1 clearly better. */
export interface Grade {
  readonly score: number;
  readonly grader: Grader;
}
