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

export const inWords = (word: string) => word.replaceAll('_', ' ').replaceAll('.', ' ')

/** A state in one word: its colour repeats what the word says. */
export function Badge({ word, tone = TONES[word] ?? 'plain' }: { word: string; tone?: Tone }) {
  return <span className={`badge ${tone}`}>{inWords(word)}</span>
}
