import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { ReplyAbout, ReplyClass, ReplyMeans, ReplyPhase } from '../../reply-class.ts'

/**
 * What servers really say, gathered from the postmaster pages of providers and from public collections of replies, with what it means. One line
 * each: provider, phase, class, about, means (with the seconds of a pause, where one is known), and the reply. Addresses and names in them
 * are those of documentation.
 */
export interface GoldenReply {
  readonly provider: string | null
  readonly phase: ReplyPhase
  readonly class: ReplyClass
  readonly about: ReplyAbout | null
  readonly means: ReplyMeans
  readonly pauseSeconds: number | null
  readonly reply: string
}

/** In tabs, one file for each group of providers. */
export function readGoldenReplies(): GoldenReply[] {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.tsv'))
  return files.sort().flatMap((name) =>
    readFileSync(`${import.meta.dirname}/${name}`, 'utf8')
      .trim()
      .split('\n')
      .map(parseLine),
  )
}

function parseLine(line: string): GoldenReply {
  const [provider, phase, replyClass, about, meaning, reply] = line.split('\t') as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const [means, pauseSeconds] = meaning.split(':')
  return {
    provider: provider === '-' ? null : provider,
    phase: phase as ReplyPhase,
    class: replyClass as ReplyClass,
    about: about === '-' ? null : (about as ReplyAbout),
    means: means as ReplyMeans,
    pauseSeconds: pauseSeconds === undefined ? null : Number(pauseSeconds),
    reply,
  }
}

/**
 * The half that rules may be written by. The other one was set apart before there was any rule, and only counts: by a hash of
 * the text, so that nobody chooses.
 */
export const isForWriting = ({ reply }: GoldenReply): boolean =>
  Number.parseInt(hash('sha256', reply).slice(0, 2), 16) % 2 === 0
