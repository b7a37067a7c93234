import { fullTime, utcDayOf, zoneName } from "../format/time.ts";

/** When a period of UTC days ends, which is at midnight UTC wherever the viewer is; in their zone on hover. */
export function ResetTime({ at }: { readonly at: string }) {
  return (
    <time className="figure" dateTime={at} title={`${fullTime(at)} ${zoneName(Date.parse(at))}`}>
      {utcDayOf(at)}, 00:00 UTC
    </time>
  );
}
