/** A complete body. It is never shared memory, although the type of `bytes` allows it. */
export function wholeBody(body: Request | Response): Promise<Uint8Array<ArrayBuffer>> {
  return body.bytes() as Promise<Uint8Array<ArrayBuffer>>;
}
