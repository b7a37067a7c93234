/** Where a checkout redirects to: the caller's address with the outcome appended, or our own page. */
export function returnUrl(
  { id, callback_url }: { readonly id: string; readonly callback_url: string | null },
  publicUrl: string,
  status: "success" | "cancelled",
): string {
  if (callback_url === null) return `${publicUrl}/checkout/${id}`;
  const joint = /[?&]$/.test(callback_url) ? "" : callback_url.includes("?") ? "&" : "?";
  return `${callback_url}${joint}checkout_id=${id}&checkout_status=${status}`;
}
