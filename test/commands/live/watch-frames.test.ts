import { describe, expect, it } from 'vitest';
import { record } from '../../../src/terminal/table.js';
import { pass, startWatch, useFakeTime } from './watched-exchange.js';

useFakeTime();

describe('a watch on a terminal', () => {
  it('shows the first answer at once, and says that the stream keeps it current once it does', async () => {
    const { terminal, stream, push, end } = await startWatch({ isStreamed: true });
    expect(terminal.lines[0]).toBe('polling · read under 1 s ago · sandbox · q ends');
    expect(terminal.lines[1]).toMatch(/^last \d+$/);
    stream.connect();
    push();
    await pass(100);
    expect(terminal.lines[0]).toBe('stream · changed under 1 s ago · sandbox · q ends');
    await pass(20_000);
    expect(terminal.lines[0]).toBe('stream · changed 21 s ago · sandbox · q ends');
    await end();
  });

  it('polls what the stream does not send although HTTP shows it, and says so', async () => {
    const { terminal, stream, push, end, monotonic } = await startWatch({ isStreamed: true });
    stream.connect();
    push();
    await pass(40_000);
    expect(terminal.lines[0]).toMatch(/^polling · read (?:under 1|2|3) s ago · sandbox/);
    expect(monotonic() - Number(terminal.lines[1]?.replace('last ', ''))).toBeLessThan(4_000);
    await end();
  });

  it('says at once that the connection is lost, how old the faint numbers are, and recovers', async () => {
    const { terminal, exchange, stream, push, end } = await startWatch({ isStreamed: true, colour: true });
    stream.connect();
    push();
    await pass(100);
    expect(terminal.styleAt(0, 1)).toBe('');
    exchange.isDown = true;
    stream.lose('connection reset');
    await pass(100);
    const words = 'connection lost, reconnecting · connection reset';
    expect(terminal.lines[0]).toBe(`NOT CURRENT: under 1 s old · ${words}`);
    expect(terminal.styleAt(0, 1)).toBe('38;5;243');
    await pass(12_000);
    expect(terminal.lines[0]).toMatch(/^NOT CURRENT: 13 s old · connection lost, reconnecting/);
    stream.connect();
    push();
    await pass(100);
    expect(terminal.lines[0]).toBe('stream · changed under 1 s ago · sandbox · q ends');
    expect(terminal.styleAt(0, 1)).toBe('');
    await end();
  });

  it('polls while the stream is away', async () => {
    const { terminal, exchange, stream, push, end } = await startWatch({ isStreamed: true });
    stream.connect();
    push();
    await pass(100);
    stream.lose('connection reset');
    const before = exchange.requests;
    await pass(4_000);
    expect(exchange.requests).toBe(before + 1);
    expect(terminal.lines[0]).toMatch(/^polling · read (?:under 1|2) s ago · connection lost, reconnecting/);
    await end();
  });

  it('repeats a command that no channel carries, and more slowly if its answers take long', async () => {
    const { terminal, exchange, end } = await startWatch({ isStreamed: false });
    await pass(22_000);
    expect(exchange.requests).toBe(5);
    expect(terminal.lines[0]).toMatch(/^polling · read /);
    exchange.latencyMs = 2_000;
    await pass(60_000);
    expect(exchange.requests).toBe(8);
    await end();
  });

  it('reports a repetition that fails or has no answer yet, and the next good one ends that', async () => {
    const { terminal, exchange, end } = await startWatch({ isStreamed: false });
    exchange.latencyMs = 10_000;
    await pass(8_000);
    expect(terminal.lines[0]).toMatch(/connection lost, reconnecting · no answer yet/);
    exchange.isDown = true;
    await pass(4_000);
    expect(terminal.lines[0]).toMatch(/^NOT CURRENT: 13 s old · connection lost, reconnecting · connection refused/);
    [exchange.isDown, exchange.latencyMs] = [false, 40];
    await pass(6_000);
    expect(terminal.lines[0]).toMatch(/^polling · read [^·]+ ago · sandbox/);
    await end();
  });

  it('leaves out what a narrow status line has no room for, the age never', async () => {
    const { terminal, exchange, stream, push, end } = await startWatch({ isStreamed: true, columns: 40 });
    stream.connect();
    push();
    await pass(100);
    expect(terminal.lines[0]).toBe('stream · changed under 1 s ago · sandbox');
    exchange.isDown = true;
    stream.lose('connection reset');
    await pass(12_000);
    expect(terminal.lines[0]).toBe('NOT CURRENT: 13 s old');
    await end();
  });

  it('redraws for the new size after a resize', async () => {
    const show = () => (screen: { readonly width: number; readonly height: number }) =>
      `${screen.width} x ${screen.height}`;
    const { terminal, end } = await startWatch({ isStreamed: true, show });
    expect(terminal.lines[1]).toBe('80 x 9');
    terminal.resize(50, 20);
    await pass(100);
    expect(terminal.lines[1]).toBe('50 x 19');
    await end();
  });

  it('marks a number that changed by an arrow without colours, then by a dot, then not', async () => {
    const show = (value: string) => (screen: Parameters<typeof record>[0]) => record(screen, [['last', value]]);
    const { terminal, stream, push, end } = await startWatch({ isStreamed: true, show });
    stream.connect();
    await pass(1_000);
    push();
    await pass(100);
    expect(terminal.lines[1]).toMatch(/^last {2}\d+↑$/);
    await pass(1_200);
    expect(terminal.lines[1]).toMatch(/^last {2}\d+·$/);
    await pass(2_000);
    expect(terminal.lines[1]).toMatch(/^last {2}\d+$/);
    await end();
  });

  it('inverts a number that changed, underlines it then, and leaves it as the others at last', async () => {
    const show = (value: string) => (screen: Parameters<typeof record>[0]) => record(screen, [['last', value]]);
    const { terminal, stream, push, end } = await startWatch({ isStreamed: true, colour: true, show });
    stream.connect();
    await pass(1_000);
    push();
    await pass(100);
    const styles = [terminal.styleAt(6, 1)];
    await pass(1_200);
    styles.push(terminal.styleAt(6, 1));
    await pass(2_000);
    expect([...styles, terminal.styleAt(6, 1)]).toEqual(['7', '4', '']);
    await end();
  });

  it('leaves the terminal as it was, and prints nothing, when q ends it', async () => {
    const { terminal, end } = await startWatch({ isStreamed: true });
    expect(terminal.modes).toContain('?1049');
    await end();
    expect(terminal.modes).toEqual(['?25', '?7']);
    expect(terminal.sent.at(-1)).toMatch(/\u001b\[\?1049l$/);
  });
});
