import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commandTree } from '../../src/commands/reference/index.js';
import { PIT_IN_SHELL } from '../support/command.js';
import { plainEnvironment, serveSandbox, temporaryHome } from '../support/pit.js';
import { onTerminal } from '../support/pty.js';
import { requires } from '../support/tools.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = ['README.md', ...readdirSync(path.join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
const SAMPLE = /^```console\n([\s\S]*?)^```$/gm;
const SCRIPT = /^```sh\n([\s\S]*?)^```$/gm;

const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');

/** Two outputs are the same if they differ only in numbers, ids, bars and the spaces between columns. */
function shape(output: string): string {
  return output
    .replace(/\x1b\[\??[\d;]*[A-Za-z]/g, '')
    .replace(/\b(pit|job)[0-9a-f]{20,}/g, '$1ID')
    .replace(/ \(\d+ times\)/g, '')
    .replace(/[-+]?\d(?:[\d,]*\d)?(\.\d+)?/g, '0')
    .replace(/^─+\n/gm, '')
    .replace(/[█-▏]+/g, '█')
    .replace(/[ \t]+/g, ' ')
    .replace(/ +$/gm, '')
    .trim();
}

/** The commands of a sample, each with the output that the page claims: `$ ` starts a command. */
function stepsOf(sample: string) {
  return sample
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.split('\n');
      return { command, output: output.join('\n') };
    });
}

class Shell {
  readonly home = temporaryHome();
  readonly #environment: Record<string, string>;

  constructor() {
    const folder = path.join(this.home, 'shim');
    mkdirSync(folder);
    const shim = path.join(folder, 'pit');
    writeFileSync(shim, `#!/bin/sh\nexec ${PIT_IN_SHELL} "$@"\n`);
    chmodSync(shim, 0o755);
    const environment = plainEnvironment(this.home);
    this.#environment = { ...environment, PATH: `${folder}:${environment.PATH}` };
  }

  /** What a command prints; a question of the sample (`? … [y/N] y`) is answered on a terminal. */
  async run(command: string, claimed: string): Promise<string> {
    const answer = /\[y\/N\] (\w+)$/m.exec(claimed)?.[1];
    if (answer === undefined) return this.#inPipe(command);
    const { screen } = await onTerminal({
      command: ['sh', '-c', command],
      steps: [{ await: '[y/N]', type: `${answer}\r` }],
      environment: { ...this.#environment, NO_COLOR: '1' },
      columns: 120,
    });
    // the question's line is redrawn for each key; only its last state stays on the screen
    return screen
      .replaceAll('\r\n', '\n')
      .split('\n')
      .map((line) => line.split(/\x1b\[2K/).at(-1))
      .join('\n');
  }

  #inPipe(command: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn('sh', ['-c', `${command} 2>&1`], {
        env: this.#environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      child.on('error', reject);
      child.on('close', () => resolve(output));
    });
  }
}

const sampled = PAGES.filter((page) => read(page).match(SAMPLE));

it.skipIf(!requires('python3')).for(sampled)(
  '%s shows the output of its commands; `npm test -- test/recipes -u` updates it',
  { concurrent: true },
  async (page, { expect }) => {
    const text = read(page);
    const shell = new Shell();
    await serveSandbox(shell.home);
    let expected = '';
    let end = 0;
    for (const match of text.matchAll(SAMPLE)) {
      const [block, sample = ''] = match;
      expected += text.slice(end, match.index);
      end = match.index + block.length;
      let rewritten = '';
      for (const { command, output } of stepsOf(sample)) {
        const printed = await shell.run(command, output);
        const isKept = output === '' || shape(printed) === shape(output);
        rewritten += `$ ${command}\n${isKept ? output : `${printed.replace(/\x1b\[\??[\d;]*[A-Za-z]/g, '').trimEnd()}\n`}`;
      }
      expected += `\`\`\`console\n${rewritten}\`\`\``;
    }
    await expect(expected + text.slice(end)).toMatchFileSnapshot(path.join(ROOT, page));
  },
);

/** The command lines of a page: in scripts, after the prompts of samples, and in the text. */
function commandLines(page: string): string[] {
  const text = read(page);
  const scripts = [...text.matchAll(SCRIPT)].flatMap(([, script = '']) =>
    script.replace(/(^| )# .*$/gm, '').match(/(?<=^|[|($] ?)pit [^|;)\n]+/gm),
  );
  const samples = [...text.matchAll(SAMPLE)].flatMap(([, sample = '']) => sample.match(/(?<=^\$ )pit .+/gm));
  const inText = text.replace(/^```[\s\S]*?^```$/gm, '').match(/(?<=`)pit [^`]+/g);
  return [...scripts, ...samples, ...(inText ?? [])].filter((line): line is string => typeof line === 'string');
}

it('every pit command in the documentation exists, with all its flags', async () => {
  const { commands, globals } = await commandTree();
  const byWords = new Map(commands.map((command) => [command.path, command]));
  const isWrong = (line: string) => {
    const words =
      line
        .replace(/^pit /, '')
        .split(/ \[?-- /)[0]
        ?.split(/[\s[\]()]+/) ?? [];
    if (words[0] === 'COMMAND') return false;
    const command = [3, 2, 1].map((count) => byWords.get(words.slice(0, count).join(' '))).find(Boolean);
    const flags = [...globals, ...(command?.flags ?? [])].map(({ long }) => long);
    const isKnown = (word: string) => !word.startsWith('--') || flags.includes(word.split('=')[0] ?? '');
    return !((command !== undefined || words[0]?.startsWith('--')) && words.every(isKnown));
  };
  const lines = PAGES.flatMap((page) => commandLines(page).map((line) => ({ page, line })));
  expect(lines.length).toBeGreaterThan(150);
  expect(lines.filter(({ line }) => isWrong(line))).toEqual([]);
});

it('every link in the documentation leads to a page and a heading that exist', () => {
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-');
  const broken = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(([link, target = '', heading]) => {
      const file = target === '' ? page : path.join(path.dirname(page), target);
      if (!existsSync(path.join(ROOT, file))) return [`${page}: ${link}`];
      if (heading === undefined) return [];
      const anchors = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => anchor(text));
      return anchors.includes(heading) ? [] : [`${page}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

it('every file that the documentation names exists', () => {
  const pages = [...PAGES, 'CONTRIBUTING.md'];
  const missing = pages.flatMap((page) =>
    [...read(page).matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+)`/g)]
      .map(([, file = '']) => file)
      .filter((file) => !existsSync(path.join(ROOT, file)) && !file.includes('NAME'))
      .map((file) => `${page}: ${file}`),
  );
  expect(missing).toEqual([]);
});
