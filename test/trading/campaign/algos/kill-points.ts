import { requiring } from '../required-module.js';

/** The steps of a watching process at which it is killed, each right before or right after. */
export const KILL_POINTS = [
  ...['best', 'triggered', 'paused', 'ended'].flatMap((fact) => [`before fact ${fact}`, `after fact ${fact}`]),
  ...['child line', 'cancelling line', 'closed line', 'order record', 'archive line'].flatMap((what) => [
    `before ${what}`,
    `after ${what}`,
  ]),
  ...['order', 'cancellation'].flatMap((what) => [
    `before sending ${what}`,
    `while sending ${what}`,
    `at the answer to ${what}`,
  ]),
  'before putting away',
] as const;

/** The environment in which a process kills itself, as `kill -9` would, when it has reached a point so many times. */
export function dyingAt(point: string, times: number): Readonly<Record<string, string>> {
  return { ...requiring(MODULE), PIT_TEST_DIES: `${times} ${point}` };
}

// CommonJS: it runs before the program. Nothing of it waits, so that the process dies at the step and not some time later.
const MODULE = `
  const fs = require('node:fs');
  const path = require('node:path');
  const { Socket } = require('node:net');
  const [times, ...words] = (process.env.PIT_TEST_DIES ?? '').split(' ');
  const wanted = words.join(' ');
  let left = Number(times);
  const reach = (point) => {
    if (point !== wanted) return;
    left -= 1;
    if (left > 0) return;
    fs.writeSync(2, 'DIES ' + point + '\\n');
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  };
  const around = (what, work) => {
    if (what === undefined) return work();
    reach('before ' + what);
    const result = work();
    reach('after ' + what);
    return result;
  };

  const files = new Map();
  const { openSync, writeSync, fsyncSync, renameSync } = fs;
  fs.openSync = (file, ...rest) => {
    const descriptor = openSync(file, ...rest);
    files.set(descriptor, String(file));
    return descriptor;
  };
  const lineOf = (text) => {
    const [, fact] = /"fact":"(\\w+)"/.exec(text) ?? [];
    if (fact !== undefined) return 'fact ' + fact;
    if (text.includes('"child":')) return 'child line';
    if (text.includes('"cancelling":')) return 'cancelling line';
    return text.includes('"closed":') ? 'closed line' : undefined;
  };
  fs.writeSync = (descriptor, data, ...rest) => {
    const file = files.get(descriptor) ?? '';
    const what = file.includes(path.sep + 'algos' + path.sep) ? lineOf(String(data)) : file.includes('archive') ? 'archive line' : undefined;
    return around(what, () => writeSync(descriptor, data, ...rest));
  };
  fs.renameSync = (from, to) => {
    const name = path.basename(String(to));
    if (String(to).includes(path.sep + 'ended' + path.sep)) reach('before putting away');
    const isRecord = String(to).includes(path.sep + 'journal' + path.sep) && /^a[a-hj-km-np-z2-9]{6}[ets]/.test(name);
    return around(isRecord ? 'order record' : undefined, () => renameSync(from, to));
  };
  require('node:module').syncBuiltinESMExports();

  const requestOf = (data) => {
    const [, method] = /^GET \\S*\\/(order|cancelOrder)\\?/.exec(String(data).slice(0, 400)) ?? [];
    return method === undefined ? undefined : method === 'order' ? 'order' : 'cancellation';
  };
  const asked = new WeakMap();
  const { write, emit } = Socket.prototype;
  Socket.prototype.write = function (data, ...rest) {
    const what = typeof data === 'string' || Buffer.isBuffer(data) ? requestOf(data) : undefined;
    if (what !== undefined) reach('before sending ' + what);
    const result = write.call(this, data, ...rest);
    if (what !== undefined) {
      asked.set(this, what);
      if (wanted === 'while sending ' + what) setImmediate(() => reach('while sending ' + what));
    }
    return result;
  };
  Socket.prototype.emit = function (name, ...rest) {
    const what = asked.get(this);
    if (name === 'data' && what !== undefined) {
      asked.delete(this);
      reach('at the answer to ' + what);
    }
    return emit.call(this, name, ...rest);
  };
  // where Node's own parser takes the bytes of a response, no event tells of them
  const http = require('node:http');
  const { request } = http;
  http.request = (...given) => {
    const made = request(...given);
    made.once('response', () => {
      const what = requestOf('GET ' + made.path);
      if (what !== undefined) reach('at the answer to ' + what);
    });
    return made;
  };
  require('node:module').syncBuiltinESMExports();
`;
