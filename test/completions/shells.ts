import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { ROOT } from '../architecture/sources.js';
import { PIT_IN_SHELL } from '../support/command.js';
import { onTerminal } from '../support/pty.js';

export type Shell = 'bash' | 'bash-completion' | 'zsh' | 'zsh-without-compinit' | 'fish';

/** The line after TAB, and what the shell listed below it. */
export interface Answered {
  readonly line: string;
  readonly listed: string;
}

/** Ctrl-O prints the current line between marks that no typed line contains; Ctrl-U empties it. */
const [PRINT_LINE, CLEAR] = ['\x0f', '\x15'];

const BASH = `PS1='ready> '; shopt -s failglob; bind 'set bell-style none'; bind 'set page-completions off'; bind 'set completion-query-items -1'
bind 'set enable-bracketed-paste off'; bind 'set show-all-if-ambiguous on'
__print_line() { printf '\\n[[%s]]\\n' "$READLINE_LINE"; }
bind -x '"\\C-o": __print_line'`;

const ZSH = `PS1='ready> '; unsetopt beep; LISTMAX=10000; zstyle ':completion:*' menu no; setopt no_auto_menu no_list_ambiguous
print_line() { print -r -- $'\\n'"[[$BUFFER]]"; zle reset-prompt }; zle -N print_line; bindkey '^O' print_line; bindkey '^U' kill-whole-line`;

/** The shell's configuration file, as a user would have it. */
const SETTINGS: Readonly<Record<Shell, string>> = {
  bash: `${BASH}\n. ${ROOT}/completions/pit.bash`,
  // bash-completion loads the script by its name on the first TAB
  'bash-completion': `. /usr/share/bash-completion/bash_completion\n${BASH}`,
  zsh: `${ZSH}
fpath=(${ROOT}/completions $fpath); autoload -Uz compinit; compinit -u -D`,
  'zsh-without-compinit': `${ZSH}\n. ${ROOT}/completions/_pit`,
  fish: `function fish_prompt; echo 'ready> '; end; function fish_greeting; end
set -g fish_autosuggestion_enabled 0
bind \\co 'printf "\\n[[%s]]\\n" (commandline); commandline -f repaint'; bind \\cu 'commandline ""'
source ${ROOT}/completions/pit.fish`,
};

export interface Asking {
  /** HOME of the shell; PIT_HOME is the folder `home` in it. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Commands to run first. */
  readonly before?: string;
}

/** Puts a program `pit` into a folder, the only one in which the shell looks for programs. @param script what it runs */
export function onlyPit(folder: string, script = `exec ${PIT_IN_SHELL} "$@"`): string {
  const programs = path.join(folder, 'programs');
  mkdirSync(programs, { recursive: true });
  // an installed pit is started by the Node in PATH
  const lines = ['#!/bin/sh', `export PATH='${process.env.PATH}'`, script, ''];
  writeFileSync(path.join(programs, 'pit'), lines.join('\n'), { mode: 0o755 });
  return programs;
}

/** Sends its words to a server, in front of them how many they are, and prints the answer. */
const CLIENT = `exec 3<>"/dev/tcp/127.0.0.1/$1"
shift
printf '%s\\0' "$#" "$@" >&3
IFS= read -r -d '' answer <&3
printf '%s' "$answer"
`;

/**
 * Serves a script for {@link onlyPit} that answers with what `reply` returns for the words of the program: a start of Node at
 * each TAB would be most of the time of the tests.
 */
export async function replying(folder: string, reply: (words: readonly string[]) => Promise<string>) {
  const server = createServer((socket) => {
    let received = '';
    socket.setEncoding('utf8').on('data', async (text) => {
      received += text;
      const [count, ...words] = received.split('\0').slice(0, -1);
      if (words.length === Number(count)) socket.end(await reply(words));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = path.join(folder, 'client.bash');
  writeFileSync(client, CLIENT);
  const { port } = server.address() as AddressInfo;
  return { script: `exec bash '${client}' ${port} "$@"`, stop: () => server.close() };
}

/** Types each text into one shell on a real terminal, presses TAB and reads the line. */
export async function ask(shell: Shell, asking: Asking, typed: readonly string[]): Promise<Answered[]> {
  const { folder, environment = {}, before = '' } = asking;
  const steps = typed.map((text, index) => ({ await: index === 0 ? 'ready> ' : ']]', type: `${text}\t${PRINT_LINE}` }));
  const [first, ...rest] = steps;
  const all = [first, ...rest.map(({ type, ...step }) => ({ ...step, type: `${CLEAR}${type}` }))];
  const { screen } = await onTerminal({
    command: launch(shell, folder, before),
    steps: [...all.flatMap((step) => step ?? []), { await: ']]', type: `${CLEAR}exit\n` }],
    environment: { HOME: folder, PIT_HOME: path.join(folder, 'home'), LC_ALL: 'C.UTF-8', ...environment },
    columns: 200,
    rows: 200,
  });
  const parts = screen.split(']]').slice(0, typed.length);
  if (parts.length < typed.length) throw new Error(`${shell} answered ${parts.length} of ${typed.length}:\n${screen}`);
  return parts.map((part) => {
    const at = part.lastIndexOf('[[');
    return { line: part.slice(at + 2), listed: part.slice(0, at) };
  });
}

function launch(shell: Shell, folder: string, before: string): string[] {
  const settings = `${SETTINGS[shell]}\n${before}\n`;
  const file = path.join(folder, `${shell}.rc`);
  mkdirSync(folder, { recursive: true });
  const isZsh = shell.startsWith('zsh');
  writeFileSync(isZsh ? path.join(folder, '.zshrc') : file, settings);
  if (isZsh) return ['zsh', '-i'];
  if (shell === 'fish') return ['fish', '--no-config', '-i', '-C', `source ${file}`];
  return ['bash', '--norc', '--noprofile', '--rcfile', file, '-i'].filter((word) => word !== '--norc');
}
