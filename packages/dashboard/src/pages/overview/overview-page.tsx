import { Attention } from "./attention.tsx";
import { LatestCalls } from "./latest-calls.tsx";
import { RangeFigures } from "./range-figures.tsx";
import { SpendChart } from "./spend-chart.tsx";
import { UtcFigures } from "./utc-figures.tsx";

export function OverviewPage() {
  return (
    <div className="overview">
      <RangeFigures />
      <UtcFigures />
      <SpendChart />
      <Attention />
      <LatestCalls />
    </div>
  );
}
