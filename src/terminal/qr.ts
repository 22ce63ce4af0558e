import type { Screen } from './screen.js';

/** The quiet edge in modules: half of what the standard asks for, and cameras read it. */
const BORDER = 2;
/** Lines that stand above and below the code and are wanted on the same screen. */
const BESIDE = 4;

/**
 * A text as a QR code, drawn with half blocks; null if the screen is no terminal or has no room for it, or if the text has half a
 * character. With colour it is black on white, whatever the theme; without, it is drawn for a dark screen.
 */
export async function qrCode(screen: Screen, text: string): Promise<string | null> {
  if (screen.width === Number.POSITIVE_INFINITY || !screen.symbols) return null;
  // JSON can hold half a character, which no code can
  if (/\p{Cs}/u.test(text)) return null;
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(text, { border: BORDER, invert: screen.colour }).split('\n');
  const width = lines[0]?.length ?? 0;
  if (width > screen.width || lines.length + BESIDE > screen.height) return null;
  return lines.map((line) => screen.paint.printed(line)).join('\n');
}
