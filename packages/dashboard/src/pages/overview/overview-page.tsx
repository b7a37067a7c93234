import { FirstRun } from "../first-run/first-run.tsx";
import { Attention } from "./attention.tsx";
import { LatestCalls } from "./latest-calls.tsx";
import { RangeFigures } from "./range-figures.tsx";
import { Savings } from "./savings.tsx";
import { SpendChart } from "./spend-chart.tsx";
import { UtcFigures } from "./utc-figures.tsx";

export function OverviewPage() {
  return (
    <div className="overview">
      <FirstRun />
      <RangeFigures />
      <UtcFigures />
      <SpendChart />
      <div className="overview-column">
        <Attention />
        <Savings />
      </div>
      <LatestCalls />
    </div>
  );
}
