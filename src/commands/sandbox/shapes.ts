import * as shape from '../../cli/shapes.js';
import { FAULT_KINDS } from '../../sandbox/faults/rules.js';

/** Where the sandbox is and its play keys. */
export const ADDRESS: shape.Fields = {
  baseUrl: shape.text('the market-data host, without /data/v1'),
  tradeUrl: shape.text('the trade host, without /api'),
  wsUrl: shape.orNull(shape.text('')),
  accessKey: shape.text(''),
  secretKey: shape.text(''),
  safePwd: shape.text('the fund password'),
  pid: shape.count('of its process'),
};

/** How its administration is reached. */
export const ADMINISTRATION: shape.Fields = { adminUrl: shape.text(''), adminToken: shape.text('') };

export const ACCOUNT = shape.record({
  id: shape.id(''),
  username: shape.text(''),
  accessKey: shape.text(''),
  secretKey: shape.text(''),
  safePwd: shape.text('the fund password'),
  permissions: shape.record({
    asset: shape.yesNo(''),
    lever: shape.yesNo(''),
    entrust: shape.yesNo(''),
    money: shape.yesNo(''),
  }),
});

export const CLOCK = shape.record({
  time: shape.time('what it shows'),
  running: shape.yesNo(''),
  speed: shape.number("times as fast as the machine's clock"),
});

export const FILE = shape.record({ file: shape.text(''), rows: shape.count("of the exchange's data") });

export const FAULT = shape.record({
  id: shape.count(''),
  kind: shape.oneOf(Object.keys(FAULT_KINDS), ''),
  operation: shape.orNull(shape.text('null is any')),
  probability: shape.orNull(shape.number('from 0 to 1')),
  count: shape.orNull(shape.count('the next so many')),
  every: shape.orNull(shape.count('every so manieth')),
  delay: shape.count('in milliseconds'),
  skew: shape.count('in milliseconds'),
  seen: shape.count('requests that it looked at'),
  applied: shape.count('requests that it was applied to'),
});
