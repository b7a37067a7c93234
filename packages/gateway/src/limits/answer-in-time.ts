/**
 * The answer, or null if it takes longer. A late failure is not reported: the caller has given up, and sees the fault
 * with its next request.
 */
export async function answerInTime<Answer>(
  asked: Promise<Answer>,
  patienceMs: number,
): Promise<Answer | null> {
  const late = Promise.withResolvers<null>();
  // After one more turn: if this process was busy for so long, the answer may be there already.
  const timer = setTimeout(() => setImmediate(() => late.resolve(null)), patienceMs);
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
    asked.catch(() => {});
  }
}
