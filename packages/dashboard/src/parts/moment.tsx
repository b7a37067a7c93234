import { fullTime, minuteTime, preciseTime, secondTime, timeAgo, zoneName } from "../format/time.ts";

interface MomentProps {
  readonly at: string | null | undefined;
  readonly as?: "second" | "minute" | "precise" | "full" | "ago";
}

const shown = { second: secondTime, minute: minuteTime, precise: preciseTime, full: fullTime, ago: timeAgo };

/** A time in the viewer's zone, with date and zone on hover. */
export function Moment({ at, as = "minute" }: MomentProps) {
  if (at == null) return <span className="figure">–</span>;
  return (
    <time className="figure" dateTime={at} title={`${fullTime(at)} ${zoneName(Date.parse(at))}`}>
      {shown[as](at)}
    </time>
  );
}
