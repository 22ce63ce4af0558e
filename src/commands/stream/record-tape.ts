import fs from 'node:fs';
import path from 'node:path';
import { grouped } from '../../domain/decimal.js';
import { compareIds } from '../../domain/market-data.js';
import { quoted } from '../../errors.js';
import {
  type AnyDataEvent,
  type Channel,
  channelKey,
  type DataEvent,
  isKind,
  type StreamEvent,
} from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { toJson } from '../../terminal/json.js';
import { isoTime } from '../../terminal/time.js';
import type { Context } from '../session/command.js';
import { dataDocument, gapDocument } from './documents.js';
import { claimTape } from './recorder-claim.js';
import { receivedAt, requireTapeName, TapeFile } from './tape-file.js';

/** How often what has come is written to the disk, in milliseconds. */
const SYNC_MS = 1_000;
/** A trade may be pushed this much later than newer ones. */
const LATE_MS = 60_000;
/** More text than this is written at once. */
const MOST_WAITING = 1_000_000;
const DAY_MS = 86_400_000;
/** So much of a broken line is shown. */
const SHOWN = 40;

export interface TapeTerms {
  readonly name: string;
  /** How much time a file covers, in milliseconds; undefined for one file. */
  readonly rotateMs: number | undefined;
  readonly channels: readonly Channel[];
}

/**
 * Appends the documents of the events to a tape, until the events end. A tape that has documents goes on where it ends: what
 * was missed is a gap, and trades that it has do not come again.
 * @param end ends the events when a file cannot be written
 * @throws Failure `usage` if a file cannot be written, or holds anything else than a tape; and what the events throw
 */
export async function recordTape(
  context: Context,
  terms: TapeTerms,
  events: AsyncIterable<StreamEvent>,
  end: AbortController,
): Promise<Answer<TapeRecorder['document']>> {
  requireTapeName(terms.name);
  const { host, output } = context;
  const recorder = new TapeRecorder(context, terms, await configurationOf(context, terms.channels));
  const hide = output.live(() => recorder.progress);
  const forget = host.onInterrupt(() => {
    hide();
    recorder.close();
    output.note(`${recorder.summary} The same command continues it.`);
  });
  const over = new AbortController();
  const syncing = syncEachSecond(recorder, host.sleep, over.signal).catch((error) => {
    end.abort();
    throw error;
  });
  // thrown below, when the events have ended
  syncing.catch(() => undefined);
  try {
    for await (const event of events) recorder.take(event);
    over.abort();
    await syncing;
    recorder.close();
  } finally {
    over.abort();
    hide();
    forget();
    recorder.close();
  }
  return { data: recorder.document, show: () => recorder.summary };
}

async function syncEachSecond(
  recorder: TapeRecorder,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    recorder.sync();
    await sleep(SYNC_MS, signal);
  }
}

/** The line that a tape begins with: what an exchange needs to have these markets. Undefined for channels of no market. */
async function configurationOf({ session }: Context, channels: readonly Channel[]): Promise<string | undefined> {
  const names = new Set(channels.flatMap((channel) => ('market' in channel ? (channel.market ?? []) : [])));
  if (names.size === 0) return undefined;
  const catalog = await session.markets();
  const markets = await Promise.all([...names].map((name) => catalog.find(name)));
  return toJson({ markets });
}

class TapeRecorder {
  readonly #context: Context;
  readonly #terms: TapeTerms;
  readonly #configuration: string | undefined;
  readonly #release: () => void;

  #file: TapeFile | undefined;
  /** The lines that are not on the disk yet, and how long they are. */
  #waiting: string[] = [];
  #length = 0;
  #isClosed = false;

  #added = 0;
  #first: number | undefined;
  #newest: number | undefined;

  /** When the tape ended that goes on, until each channel has gone on. */
  readonly #ended: number | undefined;
  readonly #interrupted: Set<string>;
  readonly #lastTrades: ReadonlyMap<string, string>;

  constructor(context: Context, terms: TapeTerms, configuration: string | undefined) {
    this.#context = context;
    this.#terms = terms;
    this.#configuration = configuration;

    this.#release = claimTape(context.host, terms.name);
    try {
      const { ended, lastTrades } = this.#begin();
      this.#ended = ended;
      this.#lastTrades = lastTrades;
    } catch (error) {
      this.#release();
      throw error;
    }
    this.#interrupted = new Set(this.#ended === undefined ? [] : terms.channels.map(channelKey));
  }

  /** Opens the tape, and finds where it ends. */
  #begin(): ReturnType<typeof endOf> {
    const terms = this.#terms;
    const file = this.#open(this.#context.host.now());
    const before = file.isEmpty ? previousTape(terms, file.name) : undefined;
    const broken = (before ?? file).brokenLine();
    if (broken !== undefined)
      this.#context.output.warn(
        `${(before ?? file).name} has a line near its end that is no document: ${quoted(broken.slice(0, SHOWN))}. A replay stops there: correct it, or leave it out.`,
      );
    const end = endOf(before ?? file, terms.channels);
    before?.close();
    return end;
  }

  get progress(): string {
    const newest = this.#newest === undefined ? 'nothing yet' : `to ${isoTime(this.#newest)}`;
    return `${grouped(String(this.#added))} documents, ${sizeText(this.#file?.size ?? 0)}, ${newest}`;
  }

  get summary(): string {
    const { name } = this.#file ?? this.#terms;
    const count = `${grouped(String(this.#added))} ${this.#added === 1 ? 'document' : 'documents'} added to ${name}.`;
    return this.#newest === undefined ? count : `${count} The last one came at ${isoTime(this.#newest)}.`;
  }

  /** What the command prints as JSON at the end. */
  get document() {
    const time = (moment: number | undefined) => (moment === undefined ? null : isoTime(moment));
    const { name } = this.#file ?? this.#terms;
    return { file: name, added: this.#added, from: time(this.#first), to: time(this.#newest) };
  }

  /** Throws Failure `usage` if the file cannot be written. */
  take(event: StreamEvent): void {
    if (this.#isClosed) return;
    if (event.type === 'data') this.#takeData(event);
    else if (event.type === 'gap') this.#add(toJson(gapDocument(event)), event.gap.to);
  }

  /** Everything that has come is on the disk when this returns. Throws Failure `usage` if the file cannot be written. */
  sync(): void {
    const lines = this.#waiting;
    if (lines.length === 0 || this.#isClosed) return;
    [this.#waiting, this.#length] = [[], 0];
    this.#file?.append(lines);
    this.#added += lines.length;
  }

  close(): void {
    if (this.#isClosed) return;
    try {
      this.sync();
    } finally {
      this.#isClosed = true;
      this.#file?.close();
      this.#release();
    }
  }

  #takeData(event: AnyDataEvent): void {
    const key = channelKey(event.channel);
    const isFirst = this.#interrupted.delete(key);
    const lastTrade = this.#lastTrades.get(key);
    if (isKind(event, 'trades') && lastTrade !== undefined) this.#addTrades(event, lastTrade, isFirst);
    else {
      if (isFirst) this.#addGap(event.channel, event.received);
      this.#addData(event);
    }
  }

  /**
   * Leaves out the trades that the tape had when it went on: the exchange pushes older ones, too. If the first event has none of them,
   * some may be missing in between.
   */
  #addTrades(event: Extract<AnyDataEvent, DataEvent<'trades'>>, lastTrade: string, isFirst: boolean): void {
    const data = event.data.filter(({ id }) => compareIds(id, lastTrade) > 0);
    if (isFirst && data.length === event.data.length) this.#addGap(event.channel, event.received);
    if (data.length > 0) this.#addData({ ...event, data });
  }

  #addData(event: AnyDataEvent): void {
    this.#add(toJson(dataDocument(event)), event.received);
  }

  #addGap(channel: Channel, to: number): void {
    const gap = { from: this.#ended ?? to, to, resynchronised: false, permanent: true };
    const lost = { channel, received: to, gap, reason: 'nothing was recorded', hasStartedOver: false };
    this.#add(toJson(gapDocument({ type: 'gap', ...lost })), to);
  }

  #add(line: string, received: number): void {
    this.#rotate(received);
    this.#waiting.push(line);
    this.#length += line.length;
    this.#first ??= received;
    this.#newest = received;
    if (this.#length > MOST_WAITING) this.sync();
  }

  /** Begins the next file if this document belongs to it. */
  #rotate(received: number): void {
    if (this.#file === undefined || this.#file.name === tapeName(this.#terms, received)) return;
    this.sync();
    this.#file.close();
    this.#open(received);
  }

  #open(received: number): TapeFile {
    const file = TapeFile.open(tapeName(this.#terms, received));
    this.#file = file;
    if (file.torn > 0)
      this.#context.output.note(
        `A document at the end of ${file.name} was cut off when a program was killed. It was removed (${sizeText(file.torn)}).`,
      );
    if (file.size === 0 && this.#configuration !== undefined) file.append([this.#configuration]);
    return file;
  }
}

/**
 * When a tape ends, and the newest trade of each channel in it. Nothing for a new one. The last document of a channel need not have the
 * newest trade: the exchange pushes some late.
 */
function endOf(
  file: TapeFile,
  channels: readonly Channel[],
): { readonly ended: number | undefined; readonly lastTrades: ReadonlyMap<string, string> } {
  const wanted = new Set(channels.filter(({ kind }) => kind === 'trades').map(channelKey));
  const lastTrades = new Map<string, string>();
  let ended: number | undefined;
  let enough = Number.POSITIVE_INFINITY;
  for (const document of file.fromEnd()) {
    const received = receivedAt(document);
    ended ??= received;
    if (received !== undefined && received < enough && wanted.size === 0) break;
    const { channel, data } = document;
    if (typeof channel === 'string' && (wanted.has(channel) || lastTrades.has(channel)) && Array.isArray(data)) {
      const known = lastTrades.get(channel);
      const ids = data.map((row) => row?.id as unknown).filter((id) => typeof id === 'string');
      const newest = [...ids, ...(known === undefined ? [] : [known])].sort(compareIds).at(-1);
      if (newest !== undefined) lastTrades.set(channel, newest);
      if (wanted.delete(channel) && received !== undefined) enough = received - LATE_MS;
    }
  }
  return { ended, lastTrades };
}

/** The newest of the files before this one that the same tape is divided into; undefined if there is none. */
function previousTape(terms: TapeTerms, file: string): TapeFile | undefined {
  if (terms.rotateMs === undefined) return undefined;
  const { stem, ending } = partsOf(terms.name);
  const earlier = fs
    .readdirSync(path.dirname(file))
    .filter((one) => one.startsWith(`${stem}-`) && one.endsWith(ending) && one < path.basename(file));
  const newest = earlier.sort().at(-1);
  return newest === undefined ? undefined : TapeFile.open(path.join(path.dirname(file), newest));
}

/**
 * The file for a document: `btc.ndjson`, or `btc-2026-11-27.ndjson` for one of the files that a tape is divided into.
 *
 * @internal for its test
 */
export function tapeName({ name, rotateMs }: Pick<TapeTerms, 'name' | 'rotateMs'>, received: number): string {
  if (rotateMs === undefined) return name;
  const start = isoTime(Math.floor(received / rotateMs) * rotateMs);
  const moment = rotateMs % DAY_MS === 0 ? start.slice(0, 10) : start.slice(0, 19).replaceAll(':', '-');
  const { stem, ending } = partsOf(name);
  return path.join(path.dirname(name), `${stem}-${moment}${ending}`);
}

function partsOf(name: string): { readonly stem: string; readonly ending: string } {
  const [ending = ''] = /\.ndjson(\.gz)?$/i.exec(name) ?? [];
  return { stem: path.basename(name, ending), ending };
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${grouped(String(bytes))} bytes` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
