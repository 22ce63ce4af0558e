import type { Reader } from '../../cli/definition.js';
import { quoted, usage } from '../../errors.js';
import type { OtherLimits } from '../../sandbox/lifecycle/start.js';
import { duration } from '../inputs/durations.js';
import { wholeNumber } from '../inputs/numbers.js';

const READERS: Readonly<Record<keyof OtherLimits, Reader<number | null>>> = {
  key: countOrOff('key'),
  address: countOrOff('address'),
  kline: countOrOff('kline'),
  lock: duration,
  reqTime: duration,
};

/** `key=600,address=off,lock=10s,kline=off,reqTime=5s`, any of them. Throws Failure `usage` with the names there are. */
export const otherLimits: Reader<OtherLimits> = (list) => {
  const entries = list.split(',').map((pair) => {
    const [name = '', value = ''] = pair.split('=');
    if (!isLimit(name))
      throw usage(`${quoted(pair)} is no limit.`, `Name one as NAME=VALUE: ${Object.keys(READERS).join(', ')}.`);
    return [name, READERS[name](value)];
  });
  return Object.fromEntries(entries);
};

function isLimit(name: string): name is keyof OtherLimits {
  return Object.hasOwn(READERS, name);
}

function countOrOff(name: string): Reader<number | null> {
  const count = wholeNumber(name, 1, 1_000_000);
  return (word) => (word === 'off' ? null : count(word));
}
