/** Speech at 64 kbit/s; compressed speech is rarely smaller. */
const COMPRESSED_BYTES_PER_SECOND = 8000;
/** 24 kHz, 16 bits, one channel: what OpenAI itself speaks. */
const PCM_BYTES_PER_SECOND = 48_000;
/** Stereo in CD quality or a little better. A header that claims more would make the audio short. */
const MAX_BYTES_PER_SECOND = 192_000;

/** Where a WAV header states its bytes per second. */
const BYTE_RATE_AT = 28;

/** The duration of encoded audio. `format` is a name (`wav`) or a media type; `start` is the start of its base64. */
export function audioSeconds(start: string, bytes: number, format: unknown): number {
  return bytes / bytesPerSecond(start, format);
}

function bytesPerSecond(start: string, format: unknown): number {
  const header = Buffer.from(start, "base64");
  if (header.length >= BYTE_RATE_AT + 4 && header.toString("latin1", 0, 4) === "RIFF") {
    const stated = header.readUInt32LE(BYTE_RATE_AT);
    return stated === 0 ? PCM_BYTES_PER_SECOND : Math.min(stated, MAX_BYTES_PER_SECOND);
  }
  return /wav|pcm|l16|aiff/i.test(String(format)) ? PCM_BYTES_PER_SECOND : COMPRESSED_BYTES_PER_SECOND;
}
