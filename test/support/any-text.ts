import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** Any character but half of a pair. */
const character = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (text) => {
    const [only = '', ...others] = String(text);
    const code = only.codePointAt(0);
    if (code === undefined || others.length > 0) throw new Error('not one character');
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);

/** The same texts as fast-check's `fc.string({ unit: 'binary' })`, which first makes a table of all million characters. */
export function anyText(lengths: Pick<fc.StringConstraints, 'minLength' | 'maxLength'> = {}): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: character });
}
