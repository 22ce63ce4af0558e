import { homedir } from 'node:os';
import path from 'node:path';
import { usage } from '../../errors.js';
import type { OwnProgram } from '../../platform/installation.js';

export interface ServiceOptions {
  readonly program: OwnProgram;
  readonly profile: string;
  /** `PIT_HOME`; null without one. */
  readonly home: string | null;
}

export type ServiceKind = 'systemd' | 'launchd';

/**
 * The text of a unit that keeps `pit algo run` running for its user. It has no keys: those of the profile are used. When nothing is left
 * to do it ends, and a new algo order starts a process of its own. Throws Failure `usage` for a path with a control character: one
 * that ends a line would begin a setting of its own.
 */
export function serviceText(kind: ServiceKind, options: ServiceOptions): string {
  const words = [...wordsOf(options), ...(options.home === null ? [] : [options.home])];
  const bad = words.find((word) => CONTROL.test(word));
  if (bad !== undefined)
    throw usage(
      `${JSON.stringify(bad)} has a control character, which a unit cannot have.`,
      'Set PIT_HOME to a folder whose name has none, or install pit in one.',
    );
  return kind === 'systemd' ? systemdText(options) : launchdText(options);
}

function wordsOf({ program: { command, arguments: args }, profile }: ServiceOptions): string[] {
  return [command, ...args.map((word) => path.resolve(word)), 'algo', 'run', '--json', '--profile', profile];
}

const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/** Of the unit: a profile has one of its own. */
function nameOf({ profile }: ServiceOptions): string {
  return `pit-algo-${profile}`;
}

/** Text in quotes: systemd takes % for names of its own. */
function systemdText(options: ServiceOptions): string {
  const { home, profile } = options;
  const name = nameOf(options);
  const environment = home === null ? [] : [`Environment="PIT_HOME=${systemdEscaped(home)}"`];
  // in a command line, $ stands for a variable
  const words = wordsOf(options).map((word) => `"${systemdEscaped(word).replaceAll('$', '$$$$')}"`);
  return [
    `# Save it as ~/.config/systemd/user/${name}.service, then run:`,
    '#   systemctl --user daemon-reload',
    `#   systemctl --user enable --now ${name}`,
    '#   loginctl enable-linger   (so that it runs while you are not logged in)',
    '[Unit]',
    `Description=pit algo orders (profile ${profile})`,
    '',
    '[Service]',
    ...environment,
    `ExecStart=${words.join(' ')}`,
    '# it ends by itself when nothing is left to do; whatever else ends it, it is started again',
    'Restart=on-failure',
    'RestartSec=5',
    'TimeoutStopSec=20',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

function systemdEscaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
}

function launchdText(options: ServiceOptions): string {
  const { home } = options;
  const name = nameOf(options);
  const log = path.join(home ?? path.join(homedir(), 'Library/Logs'), `${name}.log`);
  const environment = [
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    '    <key>PIT_HOME</key>',
    `    <string>${xmlText(home ?? '')}</string>`,
    '  </dict>',
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- Save it as ~/Library/LaunchAgents/${name}.plist, then run:`,
    `     launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/${name}.plist -->`,
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    '  <key>Label</key>',
    `  <string>${name}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...wordsOf(options).map((word) => `    <string>${xmlText(word)}</string>`),
    '  </array>',
    ...(home === null ? [] : environment),
    '  <key>RunAtLoad</key>',
    '  <true/>',
    '  <key>KeepAlive</key>',
    '  <dict>',
    '    <key>SuccessfulExit</key>',
    '    <false/>',
    '  </dict>',
    '  <key>StandardOutPath</key>',
    `  <string>${xmlText(log)}</string>`,
    '  <key>StandardErrorPath</key>',
    `  <string>${xmlText(log)}</string>`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
