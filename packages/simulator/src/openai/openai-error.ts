export interface OpenaiProblem {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

export function openaiErrorBody(problem: OpenaiProblem): { error: Omit<OpenaiProblem, "status"> } {
  const { message, type, param, code } = problem;
  return { error: { message, type, param, code } };
}

export function openaiError(problem: OpenaiProblem, headers: Readonly<Record<string, string>>): Response {
  const body = JSON.stringify(openaiErrorBody(problem), null, 2);
  return new Response(body, { status: problem.status, headers });
}

/** The message names fields and never quotes a value: it may reach a log. */
export function invalidRequest(
  message: string,
  param: string | null,
  code: string | null = null,
): OpenaiProblem {
  return { status: 400, message, type: "invalid_request_error", param, code };
}
