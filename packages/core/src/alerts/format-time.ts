/** "2026-11-15 12:00:00 UTC" */
export function formatTime(time: number | string): string | null {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return null;
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
