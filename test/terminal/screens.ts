import { PassThrough, Writable } from 'node:stream';
import type { Host, TerminalOutput } from '../../src/platform/host.js';
import { type Screen, screenOf } from '../../src/terminal/screen.js';

/** A stream that keeps its output, and is a terminal if it has columns. */
export class Kept extends Writable implements TerminalOutput {
  text = '';
  readonly isTTY: boolean;
  readonly columns?: number;

  constructor(columns?: number) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
    if (columns !== undefined) this.columns = columns;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** A terminal of this width, without colour by default. */
export function terminal(columns: number, colour = false): Screen {
  return screenOf(new Kept(columns), { TERM: 'xterm-256color' }, { colour: colour ? undefined : false });
}

export function pipe(): Screen {
  return screenOf(new Kept(), {});
}

type Streams = Pick<
  Host,
  'input' | 'output' | 'errors' | 'environment' | 'onInterrupt' | 'onExit' | 'jobControl' | 'endSignal' | 'holdProgram'
>;

/** The part of a host that the terminal uses; by default an empty input, pipes and an empty environment, and no signals. */
export function hostWith(parts: Partial<Streams>): Streams {
  return {
    ...{ input: new PassThrough(), output: new Kept(), errors: new Kept(), environment: {} },
    ...{ onInterrupt: () => () => {}, onExit: () => () => {}, jobControl: { onStop: () => () => {}, press: () => {} } },
    holdProgram: () => {},
    endSignal: undefined,
    ...parts,
  };
}
