import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** This many characters of a secret in a row count as a leak. */
const TELLING = 8;

/** A signature as a URL or an object carries it. */
const SIGNATURE = /sign["']?(?:=|%3D|\s*(?:=>|:)\s*["']?)[0-9a-f]{32}/i;

/** All the pieces of a secret by which a reader would know it, in every form in which something might print it. */
function piecesOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const forms = [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll("'", '%27'),
    new URLSearchParams({ x: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    hex,
    // as a Buffer is printed; a byte takes three characters there
    (hex.match(/../g) ?? []).join(' '),
    // base64 groups start at every third byte; the ends depend on the neighbours
    ...[0, 1, 2].map((skip) =>
      bytes
        .subarray(skip)
        .toString('base64')
        .replace(/.{0,3}=*$/, ''),
    ),
  ];
  return [...new Set(forms.flatMap((form, index) => windows(form, index === 6 ? 3 * TELLING - 1 : TELLING)))];
}

function windows(text: string, length: number): string[] {
  return Array.from({ length: Math.max(text.length - length + 1, 0) }, (_, start) => text.slice(start, start + length));
}

/** Every place of a piece of a secret or a signature in one of the texts, with its surroundings. */
export function leaksIn(texts: Readonly<Record<string, string>>, secrets: readonly string[]): string[] {
  const pieces = secrets.flatMap(piecesOf);
  return Object.entries(texts).flatMap(([name, text]) => {
    const found = pieces.find((piece) => text.includes(piece));
    const at = found === undefined ? text.search(SIGNATURE) : text.indexOf(found);
    return at === -1 ? [] : [`${name}: ${text.slice(Math.max(at - 60, 0), at + 60)}`];
  });
}

/** Every file below a folder, as text, except those that hold keys. */
export function filesBelow(folder: string, spared: RegExp): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) => path.join(entry.parentPath, entry.name)).filter((name) => !spared.test(name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(name, 'latin1')]));
}
