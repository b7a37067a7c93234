import { fullTime, minuteTime, secondTime, timeAgo, zoneName } from "../format/time.ts";

interface MomentProps {
  readonly at: string | null | undefined;
  readonly as?: "second" | "minute" | "full" | "ago";
}

const shown = { second: secondTime, minute: minuteTime, full: fullTime, ago: timeAgo };

/** A time in the viewer's zone, with date and zone on hover. */
export function Moment({ at, as = "minute" }: MomentProps) {
  if (at == null) return <span className="figure">–</span>;
  return (
    <time className="figure" dateTime={at} title={`${fullTime(at)} ${zoneName(Date.parse(at))}`}>
      {shown[as](at)}
    </time>
  );
}
