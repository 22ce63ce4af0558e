/** A promise to scripts and shells, and the test that holds it: a file under test, and the title of a test in it. */
export type Row = readonly [promise: string, test: string];

const MANNERS = 'manners/manners.test.ts';
const WIDTHS = 'manners/widths.test.ts';
const HOSTILE = 'manners/hostile.test.ts';
const GOLDEN = 'contract/golden.test.ts';
const SCHEMAS = 'contract/schemas.test.ts';
const CODES = 'contract/exit-codes.test.ts';
const REACHED = 'commands/exit-codes.test.ts';
const TERMINAL = 'commands/terminal.test.ts';
const PIPED = 'commands/piped.test.ts';
const HELP = 'commands/help.test.ts';
const ERRORS = 'commands/errors.test.ts';
const HOUSE = 'house/commands.test.ts';

export const CHAPTERS: Readonly<Record<string, readonly Row[]>> = {
  'JSON, CSV and schemas': [
    [
      'every command has a schema, which `pit schema` prints',
      `${SCHEMAS}: are what the program prints: of one command, of a group, of all, and of the error object`,
    ],
    ['a new command cannot be without one', `${HOUSE}: pit $words says in one line what it does, and what it prints`],
    ['every command has a golden document', `${GOLDEN}: is kept for each of them`],
    ['what commands print is what their schemas say', `${GOLDEN}: pit $line`],
    ['the error object is, too', `${SCHEMAS}: hold the error object of the real program`],
    ['fields are added, never removed or retyped', `${SCHEMAS}: take nothing away that the last release promised`],
    [
      'each field of the interface appears, or it is said why not',
      `${SCHEMAS}: appear in the output, or it is said why not`,
    ],
    ['the list of them is fresh', `${SCHEMAS}: stand in a list that is fresh: npm test -- test/contract -u`],
    ['--fields chooses the fields of tables and CSV', `${MANNERS}: chooses and orders the fields of CSV and tables`],
    [
      'an unknown field is told with the nearest and all there are',
      `${MANNERS}: pit %s is a wrong line, and nothing is asked`,
    ],
    ['the CSV of every list has the fields of its schema', `${GOLDEN}: pit %s --csv has the fields of the schema`],
    ['a list without rows has its CSV header', 'commands/market-data.test.ts: has a header without rows, too'],
  ],
  'Exit codes': [
    [
      'README has them from the source',
      `${CODES}: README has the exit codes of the source: npm test -- test/contract -u`,
    ],
    ['pit help exit-codes tells them', `${CODES}: pit help exit-codes tells them all`],
    ['0', `${REACHED}: 0: done`],
    ['1 2 3 4 5 8', `${REACHED}: $code: $kind`],
    ['6', `${MANNERS}: %s ends it with %i, and the journal keeps what it was about`],
    ['7', `${REACHED}: tells until when, and market data goes on`],
    ['9', `${REACHED}: 9: partial, with the result`],
    ['130 143', `${MANNERS}: %s ends it with %i, and the journal keeps what it was about`],
  ],
  Manners: [
    ['`| head -1` ends quietly', `${PIPED}: after one line of pit %s is no error`],
    ['a full output is an error', `${MANNERS}: is an error of pit %s`],
    ['remarks that nobody can read are none', `${MANNERS}: is none where only the remarks are lost`],
    [
      'SIGINT 130 and SIGTERM 143, the journal kept',
      `${MANNERS}: %s ends it with %i, and the journal keeps what it was about`,
    ],
    ['the terminal is restored after Ctrl-C', `${TERMINAL}: says what it will do, and %s places none`],
    [
      'the terminal is restored after SIGTERM',
      `${TERMINAL}: is not placed when a signal ends the program at the question`,
    ],
    ['NO_COLOR and TERM=dumb on a terminal', `${MANNERS}: with %s`],
    [
      'CLICOLOR_FORCE in a pipe, NO_COLOR against it',
      `${PIPED}: has colours when they are asked for, and none against NO_COLOR`,
    ],
    ['nothing is asked without a terminal', `${ERRORS}: is not given by a pipe`],
    [
      'nothing is asked where stdin alone is none',
      `${TERMINAL}: is not asked for with --yes, and refused where stdin is no terminal`,
    ],
    ['the locale changes no byte of JSON', `${MANNERS}: is no byte of JSON and CSV: %s`],
    [
      'UTC in JSON, labelled local time in tables',
      `${MANNERS}: is the time of tables, which names its zone; JSON has UTC`,
    ],
    ['every table fits 40, 80 and 200 columns', `${WIDTHS}: pit %s fits, and breaks no value`],
    [
      'the least important columns go first',
      'terminal/table.test.ts: leaves out what is least important at 80 columns, and says so',
    ],
    ['values are never broken', 'terminal/table.test.ts: never breaks a value, even where nothing fits'],
    [
      'Chinese names are aligned',
      'terminal/table.test.ts: shows every column at 200 columns, points under points, wide letters aligned',
    ],
    ['a mistyped command, flag or market is told with the nearest', `${ERRORS}: pit %s`],
    ['a mistyped coin is, too', `${MANNERS}: pit %s names the nearest`],
    ['as a filter, too', `${MANNERS}: pit %s fits nothing, and the nearest is told`],
    ['bare `pit`, -h, --help and help on stdout with 0', `${HELP}: "pit %s" lists the commands on stdout`],
    ['help X is X --help', `${HELP}: "pit %s" is "pit %s"`],
    ['every --help has two examples or more', `${HOUSE}: pit $words says in one line what it does, and what it prints`],
    ['every example runs', `${HOUSE}: the example "pit $example" runs $words`],
    [
      'order show --wait answers once, with the last state',
      'commands/order-wait.test.ts: answers once, with what the order came to',
    ],
    [
      'its exit code tells whether it came to that',
      'commands/order-wait.test.ts: for %s of an order that stays open ends with %i and prints it',
    ],
    ['it looks ever less often', 'trading/order/wait.test.ts: ends with the time where %s, ever less often'],
    [
      'it shows changes on a terminal, and Ctrl-C is clean',
      'commands/order-wait.test.ts: shows changes on a terminal, and Ctrl-C leaves it as it was (needs python3)',
    ],
  ],
  'Hostile words': [
    [
      'no byte of 200 payloads in every text field reaches a terminal as a control',
      `${HOSTILE}: pit %s draws none of them`,
    ],
    ['nor where it is the text of a single thing', `${HOSTILE}: pit %s draws none of them, one by one`],
    ['tables stay aligned', `${HOSTILE}: pit %s keeps its columns under their titles`],
    ['errors and warnings are clean', `${HOSTILE}: are clean in what is said of a refusal`],
    ['the real program on a real terminal', `${HOSTILE}: none reaches a real terminal from pit %s (needs python3)`],
    ['CSV cells are no formulas, and numbers stay numbers', `${HOSTILE}: are no formulas in the CSV of pit %s`],
    ['long texts are cut on screen and whole in JSON', `${HOSTILE}: are cut on a terminal, and whole in JSON and CSV`],
  ],
};
