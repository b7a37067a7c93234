interface Line {
  readonly call_count: number;
  readonly cost_microcents: number;
}

export const sumLines = (lines: readonly Line[]) => ({
  calls: lines.reduce((total, line) => total + line.call_count, 0),
  cost: lines.reduce((total, line) => total + line.cost_microcents, 0),
});
