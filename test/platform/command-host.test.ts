import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../src/platform/host.js';
import { CommandHost } from '../../src/platform/programs/command-host.js';
import { fakeHost } from '../support/fake-host.js';

/** A command whose waits take their time. */
function startedCommand(): CommandHost {
  const sleep: Host['sleep'] = (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => {});
  return new CommandHost({ ...fakeHost(), sleep }, []);
}

/** What has become of a promise after all that was due is done. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  let state = 'pending';
  promise.then(
    () => {
      state = 'resolved';
    },
    () => {
      state = 'rejected';
    },
  );
  await delay(20);
  return state;
}

it('a wait of a command that has ended never resolves and never fails, so that nothing continues', async () => {
  const command = startedCommand();
  const before = command.host.sleep(60_000);
  const beforeInterrupt = command.host.sleep(60_000, new AbortController().signal);
  await command.interrupt('SIGINT');
  expect(await stateOf(before)).toBe('pending');
  expect(await stateOf(beforeInterrupt)).toBe('pending');
  expect(await stateOf(command.host.sleep(1))).toBe('pending');
});

it('a wait that its caller has ended resolves, also after the command has ended', async () => {
  const command = startedCommand();
  const end = new AbortController();
  const wait = command.host.sleep(60_000, end.signal);
  end.abort();
  command.end();
  expect(await stateOf(wait)).toBe('resolved');
});

describe('the input of a command', () => {
  /** A command, and what the program itself still reads after it. */
  function typing() {
    const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const command = new CommandHost({ ...fakeHost(), input: keys }, []);
    const rest = async () => {
      keys.end();
      return (await buffer(keys)).toString();
    };
    return { keys, command, input: command.host.input, rest };
  }

  it('is no longer read once the command was interrupted', async () => {
    const { keys, command, input, rest } = typing();
    const reading = buffer(input);
    keys.write('first');
    await delay(1);
    await command.interrupt('SIGINT');
    command.end();
    await expect(reading).rejects.toThrow();
    keys.write('second');
    expect(await rest()).toBe('second');
  });

  it('stays open for the program if the command stops in the middle of it', async () => {
    const { keys, command, input, rest } = typing();
    keys.write('first');
    for await (const chunk of input) {
      expect(String(chunk)).toBe('first');
      break;
    }
    command.end();
    keys.write('second');
    expect(await rest()).toBe('second');
  });

  it('can be paused and read again', async () => {
    const { keys, input } = typing();
    const heard: string[] = [];
    input.on('data', (chunk) => heard.push(String(chunk)));
    await delay(1);
    input.pause();
    keys.write('a');
    await delay(1);
    expect(heard).toEqual([]);
    input.resume();
    await delay(1);
    keys.write('b');
    await delay(1);
    expect(heard.join('')).toBe('ab');
  });

  it('ends when the input of the program ends', async () => {
    const { keys, input } = typing();
    keys.end('all');
    expect((await buffer(input)).toString()).toBe('all');
  });
});
