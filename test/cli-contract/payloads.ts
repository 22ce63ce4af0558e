const ESC = '\u001b';

/** What a terminal would obey, or a reader not see. */
const ATTACKS = [
  `${ESC}[31m`,
  `${ESC}[2J${ESC}[H`,
  `${ESC}]0;title\u0007`,
  `${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\`,
  `${ESC}]52;c;cGl0\u0007`,
  `${ESC}P+q544e${ESC}\\`,
  `${ESC}[6n`,
  `${ESC}[?1049h`,
  `${ESC}c`,
  `${ESC}(0`,
  `${ESC}[`,
  `${ESC}]0;unended`,
  '\u009b31m',
  '\u009d0;t\u009c',
  '\u0090x\u009c',
  '\r',
  '\n',
  '\r\nexit 0',
  '\u2028',
  '\u0085',
  '\v\f',
  '\b\b\b',
  '\u0007',
  '\u0000',
  '\u007f',
  '\u202e',
  '\u2066\u2069',
  '\u200f',
  '\u061c',
  '\u200b\u200d\ufeff',
  '\u00ad',
  '\u{e0041}\u{e007f}',
  '\ufe0f',
  '\u3164',
  '\ud800',
] as const;

/** What a spreadsheet would run. */
const FORMULAS = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  "=cmd|'/c calc'!A0",
  '＝1',
  ' =1',
  '=HYPERLINK("http://x")',
  'x;=1+1',
  '"x"; @SUM(A1)',
  'x;"=1+1"',
];

/** Wide, narrow and zero-width characters. */
const LETTERS = [
  '比特币',
  'ビットコイン',
  '비트코인',
  'ｆｕｌｌ',
  'ก็',
  'é',
  `z${'\u0336'.repeat(40)}`,
  '👩‍👩‍👧',
  '🇩🇪',
  '１２３',
  '،؛',
  'שלום',
  'हिन्दी',
  '𝒳',
  'ﷺ',
];

/** Two hundred texts that an exchange has no reason to send: each attack alone, before, within and behind others. */
export const PAYLOADS: readonly string[] = [
  ...ATTACKS.map((attack) => `a${attack}b`),
  ...ATTACKS,
  ...ATTACKS.map((attack, index) => `${attack}${LETTERS[index % LETTERS.length]}`),
  ...ATTACKS.map((attack, index) => `${attack}${FORMULAS[index % FORMULAS.length]}`),
  ...FORMULAS,
  ...LETTERS,
  ...LETTERS.map((letters, index) => `${letters}${FORMULAS[index % FORMULAS.length]}`),
  ...FORMULAS.map((formula) => `"${formula}","b"`),
  ...ATTACKS.slice(0, 9).map((attack, index) => `${ATTACKS[index + 9]}${attack}${ATTACKS[index + 18]}x`),
  `${'long '.repeat(2000)}end`,
].slice(-200);

/** Characters that no terminal may receive, except line ends. */
export const OBEYED = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u2028\u2029\p{Default_Ignorable_Code_Point}]/u;

/** What a spreadsheet takes for a formula, at the start of a cell or after a semicolon, which separates cells in some; a number is none. */
export const RUN = /(?:^|;)(?![+-]?\d+(?:\.\d+)?(?:;|$))[\s"]*[=+\-@\t\r＝＋－＠]/;
