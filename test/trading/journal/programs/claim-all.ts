// Claims writes of a journal, `race1000` and so on, once a line comes on stdin; then prints the numbers of those that it got.
import { once } from 'node:events';
import { Redaction } from '../../../../src/platform/redaction.js';
import { Journal } from '../../../../src/trading/journal/journal.js';

const [state = '', count] = process.argv.slice(2);
const journal = new Journal({ now: Date.now, redaction: new Redaction() }, state, 'test');
const entries = Array.from({ length: Number(count) }, (_, round) => journal.findUnsettled(`race${1000 + round}`));
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const claimed = entries.flatMap((entry, round) => (entry?.claim() === true ? round : []));
process.stdout.write(`${JSON.stringify(claimed)}\n`);
