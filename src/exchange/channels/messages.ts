import { inflateSync } from 'node:zlib';
import { parseJson } from '../../platform/json.js';

/** Base64 as it is sent, which no JSON object looks like. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The first byte of zlib's format with its usual window, in base64. */
const ZLIB = /^e[A-P]/;

/** A message longer than it may be. */
class MessageTooLong extends Error {
  override readonly name = 'MessageTooLong';
}

/**
 * The JSON text of a message: as it came, or out of base64 of zlib, as observed with `binary` and `isZip`.
 * @throws MessageTooLong if it expands to more than `maxBytes`, and Error if it cannot be decompressed
 */
export function plainText(text: string, maxBytes: number): string {
  if (!ZLIB.test(text) || !BASE64.test(text)) return text;
  try {
    return inflateSync(Buffer.from(text, 'base64'), { maxOutputLength: maxBytes }).toString('utf8');
  } catch (thrown) {
    const isLong = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE';
    if (isLong) throw new MessageTooLong(`it expands to more than ${maxBytes} bytes`);
    throw thrown;
  }
}

/**
 * The value of a message's JSON; numbers keep their digits, as {@link parseJson} gives them. Some clients write single
 * quotes. Throws SyntaxError.
 */
export function readMessage(text: string): unknown {
  return parseJson(/^\s*\{\s*'/.test(text) ? doubleQuoted(text) : text);
}

/** The same JSON with strings in double quotes. */
function doubleQuoted(text: string): string {
  let quote = '';
  let out = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quote !== '' && character === '\\') {
      const escaped = text[index + 1] ?? '';
      out += escaped === "'" ? "'" : character + escaped;
      index += 1;
    } else if (quote === '' && (character === "'" || character === '"')) {
      quote = character;
      out += '"';
    } else if (character === quote) {
      quote = '';
      out += '"';
    } else out += character === '"' ? '\\"' : character;
  }
  return out;
}
