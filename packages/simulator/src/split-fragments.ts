/** The pieces in which a model streams its text: a few words each, nothing lost. */
export function splitText(text: string, wordsPerPiece: number): string[] {
  const words = text.match(/\s*\S+|\s+$/gu) ?? [];
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += wordsPerPiece) {
    pieces.push(words.slice(at, at + wordsPerPiece).join(""));
  }
  return pieces;
}

/** JSON arguments are split anywhere, even inside keys and values: no piece is valid JSON by itself. */
export function splitJson(json: string): string[] {
  const characters = [...json];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += 7) pieces.push(characters.slice(at, at + 7).join(""));
  return pieces;
}
