interface Mark {
  /** A share of the whole, 0 to 1. */
  readonly at: number;
  readonly title: string;
}

interface MeterProps {
  /** Read aloud: what is measured. */
  readonly label: string;
  /** Read aloud: the measured value in words. */
  readonly text: string;
  /** A share of the whole; above 1 the bar is full. */
  readonly share: number;
  /** Where the share is expected to end; drawn lighter, behind it. */
  readonly expectedShare?: number | null;
  readonly kind?: "plain" | "warning" | "bad" | "muted";
  readonly marks?: readonly Mark[];
}

const within = (share: number) => Math.max(0, Math.min(1, share));

/** Share of something that is used. The colour only repeats the text beside it. */
export function Meter({ label, text, share, expectedShare, kind = "plain", marks = [] }: MeterProps) {
  return (
    <div
      className="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(within(share) * 100)}
      aria-valuetext={text}
    >
      {expectedShare != null && expectedShare > share && (
        <span className="meter-expected" style={{ width: `${within(expectedShare) * 100}%` }} />
      )}
      <span className="meter-fill" data-kind={kind} style={{ width: `${within(share) * 100}%` }} />
      {marks.map(({ at, title }) => (
        <span key={title} className="meter-mark" title={title} style={{ left: `${within(at) * 100}%` }} />
      ))}
    </div>
  );
}
