/** All of a body. It is never shared memory, though the type of `bytes` does not say so. */
export function wholeBody(body: Request | Response): Promise<Uint8Array<ArrayBuffer>> {
  return body.bytes() as Promise<Uint8Array<ArrayBuffer>>;
}
