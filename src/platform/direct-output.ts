import { constants, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs';
import { systemErrorCode } from '../errors.js';
import type { TerminalOutput, TextOutput } from './host.js';

/**
 * Stdout or stderr that is a file or a pipe, written without Node's streams: to open one takes longer than most answers take
 * to make. It never waits for a slow reader, because signals and timers would wait with it: what a full pipe does not take,
 * and all that follows, goes through the stream.
 */
export class DirectOutput implements TextOutput {
  #stream: TerminalOutput | undefined;

  /**
   * @param descriptor of a file, or of a pipe that does not block
   * @param open opens the stream of the process
   */
  constructor(
    private readonly descriptor: number,
    private readonly open: () => TerminalOutput,
    private readonly change: (text: string) => string = (text) => text,
  ) {}

  write(text: string, written: (error?: Error | null) => void = () => {}): void {
    if (this.#stream !== undefined) {
      this.#stream.write(text, written);
      return;
    }
    let rest = Buffer.from(this.change(text));
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.descriptor, rest));
    } catch (error) {
      if (systemErrorCode(error) !== 'EAGAIN') return written(error as Error);
      this.toStream().write(rest, written);
      return;
    }
    written();
  }

  toStream(): TerminalOutput {
    this.#stream ??= this.open();
    return this.#stream;
  }
}

/** Stdout or stderr, as a stream only if it has to be one. */
export function outputOf(
  descriptor: 1 | 2,
  open: () => TerminalOutput,
  change?: (text: string) => string,
): TextOutput | TerminalOutput {
  const target = directDescriptor(descriptor);
  return target === undefined ? open() : new DirectOutput(target, open, change);
}

/** A descriptor that takes text without making this process wait, or undefined if only the stream can do that. */
function directDescriptor(descriptor: 1 | 2): number | undefined {
  try {
    const file = fstatSync(descriptor);
    if (file.isFile() || isNullDevice(file)) return descriptor;
    // Linux opens the same pipe again: that it does not block is then no matter of the programs it is shared with
    const { O_WRONLY, O_NONBLOCK = 0 } = constants;
    if (file.isFIFO()) return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK);
  } catch {
    // no /proc, somebody else's pipe, or one that nobody reads
  }
  return undefined;
}

/** Whether it is `/dev/null`. Windows has no such file. */
export function isNullDevice(file: Stats): boolean {
  return process.platform !== 'win32' && file.isCharacterDevice() && file.rdev === statSync('/dev/null').rdev;
}
