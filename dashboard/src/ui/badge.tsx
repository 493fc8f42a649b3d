import { inWords } from './sentence-case.ts'
import './badge.css'

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'plain'

const TONES: Readonly<Record<string, Tone>> = {
  delivered: 'good',
  opened: 'good',
  clicked: 'good',
  verified: 'good',
  published: 'good',
  completed: 'good',
  enabled: 'good',
  success: 'good',
  pass: 'good',
  subscribed: 'good',
  opt_in: 'good',
  bounced: 'bad',
  complained: 'bad',
  failed: 'bad',
  fail: 'bad',
  failing: 'bad',
  temporary_failure: 'bad',
  partially_failed: 'bad',
  rejected: 'bad',
  expired: 'warn',
  retrying: 'warn',
  suppressed: 'warn',
  delivery_delayed: 'warn',
  partially_verified: 'warn',
  unsubscribed: 'warn',
  softfail: 'warn',
  opt_out: 'warn',
  sent: 'busy',
  queued: 'busy',
  waiting: 'busy',
  pending: 'busy',
  scheduled: 'busy',
  in_progress: 'busy',
  attempting: 'busy',
  running: 'busy',
}

/** A state in one word: its colour, and the dot, repeat what the word says. The capital letter is the style's. */
export const Badge = ({ word, tone = TONES[word] ?? 'plain' }: { word: string; tone?: Tone }) => (
  <span className={`badge ${tone}`}>
    <span>{inWords(word)}</span>
  </span>
)
