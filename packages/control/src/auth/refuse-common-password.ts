import { fail } from "@tollgate/core/errors";
import { commonPasswords } from "./common-passwords.ts";

const PRODUCT = "tollgate";
const FEWEST_CHARACTERS = 4;
/** Bounds the work for an address of nothing but dots. */
const MOST_NAMES = 12;
/** What fingers run along. */
const rows = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "1qaz2wsx3edc4rfv5tgb",
  "1q2w3e4r5t6y7u8i9o0p",
];
const runs = rows.flatMap(row => [row, reversed(row)]);

/** Passwords that are among the first to be tried: a lock-out after ten failures does not keep those out. */
export function refuseCommonPassword(password: string, email: string): void {
  const text = folded(password);
  const joined = text.replace(/[^\p{L}\p{N}@$]/gu, "");
  const bare = lettersAndDigits(text);
  const words = new Set([text, joined, bare].flatMap(wordsIn));
  if (namesIn(email).some(name => bare === name || wordsIn(name).some(word => words.has(word)))) {
    throw fail("invalid_request", "password: must be more than a part of your e-mail address");
  }
  if (words.has(PRODUCT)) throw fail("invalid_request", "password: must be more than the product's name");
  // Of mostly signs, what is left without them says nothing.
  const isSpaced = joined.length * 2 >= text.length;
  if (
    [...words].some(word => commonPasswords.has(word)) ||
    isPattern(text) ||
    (isSpaced && isPattern(joined))
  ) {
    throw fail("invalid_request", "password: this password is too common; choose another");
  }
}

/** One way to write what looks alike: lower case, no accents, ordinary width, nothing that cannot be seen. */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase();
}

function lettersAndDigits(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

/**
 * The word inside, forwards and backwards: without the digits and signs around it, and with digits and signs in it read
 * as letters. `@` and `$` at an end may be a letter or a sign.
 */
function wordsIn(text: string): string[] {
  return [/^[^a-z@$]+|[^a-z@$]+$/g, /^[^a-z]+|[^a-z]+$/g]
    .map(around => asLetters(text.replace(around, "")))
    .filter(word => word !== "")
    .flatMap(word => [word, reversed(word)]);
}

function asLetters(text: string): string {
  return [...text].map(character => lookalikes[character] ?? character).join("");
}

const lookalikes: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "!": "i",
  "@": "a",
  $: "s",
};

/** Every run of its parts: of `admin@mail.example.org` also `admin@mail`, `example.org` and `example`. */
function namesIn(email: string): string[] {
  const parts = folded(email)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(part => part !== "")
    .slice(0, MOST_NAMES);
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_, more) => parts.slice(from, from + more + 1).join("")),
  );
}

/** `aaaaaaaa`, `12341234`, `abcdefgh`, `9876543210`, `abcd1234`. */
function isPattern(text: string): boolean {
  if (new Set(text).size < FEWEST_CHARACTERS) return true;
  if (/^(.{1,8})\1+$/u.test(text)) return true;
  const parts = text.match(/\d+|\D+/g) ?? [];
  return isRun(text) || (parts.length <= 2 && parts.every(isRun));
}

function isRun(text: string): boolean {
  return new Set(text).size === 1 || runs.some(run => run.includes(text));
}

function reversed(text: string): string {
  return [...text].toReversed().join("");
}
