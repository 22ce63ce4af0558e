import { describe, expect, it } from 'vitest';
import { schemaViolations } from '../../cli-contract/schema-violations.js';
import { eventually } from '../../support/eventually.js';
import { useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest();

type Row = Readonly<Record<string, unknown>>;

/** Starts a watch in a pipe. Its lines are documents of the command without `--watch`. */
function watching(line: string) {
  const command = pit.start(`${line} --watch --json`);
  const documents = () => {
    const whole = command.printed.stdout.split('\n').slice(0, -1);
    return whole.map((text) => JSON.parse(text) as Row & readonly Row[]);
  };
  const until = (isThere: (latest: Row & readonly Row[]) => boolean) =>
    eventually(() => expect(documents().some(isThere), command.printed.stdout).toBe(true));
  const stop = async () => {
    await command.interrupt();
    await command.ended;
    for (const document of documents()) expect(await schemaViolations(line, document)).toEqual([]);
    return documents();
  };
  return { until, stop };
}

describe('pit … --watch in a pipe', () => {
  it('prints the answer again when an order changes it, and never the same twice in a row', async () => {
    const balance = watching('balance usdt');
    const orders = watching('orders eos_usdt');
    await balance.until(([row]) => row?.frozen === '0.00000000');
    await orders.until((rows) => rows.length === 0);
    const { id } = await pit.json<{ id: string }>('order buy eos_usdt 10 --at 0.5 --yes');
    await balance.until(([row]) => row?.frozen === '5.00000000');
    await orders.until(([row]) => row?.id === id);
    const shown = watching(`order show eos_usdt ${id}`);
    await shown.until(({ state }) => state === 'open');
    await pit.done(`cancel eos_usdt ${id}`);
    await shown.until(({ state }) => state === 'cancelled');
    for (const watch of [balance, orders, shown]) {
      const documents = (await watch.stop()).map((document) => JSON.stringify(document));
      expect(documents.filter((text, index) => text === documents[index - 1])).toEqual([]);
    }
  });

  it.each(['ticker btc_usdt eth_usdt', 'depth btc_usdt --size 2', 'trades btc_usdt', 'kline btc_usdt --type 1min'])(
    'goes on with new documents: %s',
    async (line) => {
      const watch = watching(line);
      let first: string | undefined;
      await watch.until((document) => {
        first ??= JSON.stringify(document);
        return JSON.stringify(document) !== first;
      });
      await watch.stop();
    },
  );

  it('repeats what no channel carries', async () => {
    const deposits = watching('deposits usdt');
    const withdrawals = watching('withdrawals usdt');
    await deposits.until((rows) => rows.length === 0);
    await pit.done('sandbox deposit usdt 100');
    await deposits.until(([row]) => row?.amount === '100.00000000');
    await deposits.stop();
    expect(await withdrawals.stop()).toEqual([[]]);
  });

  it.each([
    ['ticker --watch --csv', '--watch and --csv exclude each other.'],
    ['ticker --watch --fields last', '--watch takes --fields only on a terminal.'],
    ['trades btc_usdt --watch --since 1', '--watch and --since exclude each other.'],
    ['kline btc_usdt --watch --until 1h', '--watch and --until exclude each other.'],
    ['order show btc_usdt 1 --watch --wait filled', '--watch and --wait exclude each other.'],
    ['deposits usdt --watch --all', '--watch and --all exclude each other.'],
  ])('refuses %s', async (line, message) => {
    const { code, stdout, stderr } = await pit.run(line);
    expect({ code, stdout, stderr: stderr.split('\n')[0] }).toEqual({ code: 2, stdout: '', stderr: `pit: ${message}` });
  });

  it('fails as the command does if the first answer cannot be had', async () => {
    const error = await pit.failure('order show btc_usdt 17 --watch', 3);
    expect(error).toEqual(await pit.failure('order show btc_usdt 17', 3));
  });
});
