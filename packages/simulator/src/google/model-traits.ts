/** 2.5, 3, 3.1…; 0 if the name has no version (aliases, open models). */
export function geminiVersion(model: string): number {
  return Number(/^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0);
}

/** These models sign their calls, and reject them later without the signature. */
export function signsCalls(model: string): boolean {
  return geminiVersion(model) >= 3;
}

/** Unless only text is requested, these models add an image to their answers. */
export function generatesImages(model: string): boolean {
  return /-image\b/.test(model);
}

/** These models sign their text and images, too, and reject them later without the signature. */
export function signsImages(model: string): boolean {
  return signsCalls(model) && generatesImages(model);
}

/** Earlier models reject a response format beside function tools. Names without a version are not checked. */
export function takesFormatBesideTools(model: string): boolean {
  const version = geminiVersion(model);
  return version === 0 || version >= 3;
}
