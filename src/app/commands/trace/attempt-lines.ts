import type { SkippedAttempts, WatchedAttempt } from '../../../features/emails/delivery/outcomes/attempt-watches.ts'
import { oneLine } from '../command.ts'

/** An attempt for people: who and what became of it, where, what was understood, and what was said. */
export function linesOf(attempt: WatchedAttempt): string[] {
  const { at, outcome, recipient, email, team, node, attempt: number, ms } = attempt
  const lines = [
    `${at} ${outcome} ${recipient} (attempt ${number}, ${ms} ms)`,
    `  email ${email}, team ${team}, node ${node}`,
    ...wayOf(attempt),
    ...(attempt.reply === null ? [] : [`  ${attempt.reply}`]),
    ...(attempt.class === null ? [] : [`  understood as ${attempt.class} (${attempt.rule})`]),
    ...(attempt.next_attempt_at === null ? [] : [`  next attempt ${attempt.next_attempt_at}`]),
    ...(attempt.suppressed ? ['  the address was added to the suppression list'] : []),
    ...attempt.dialogue
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `    ${line}`),
  ]
  return lines.map(cleaned)
}

function wayOf({ route, destination, host, address, source, helo, tls_version, tls_policy }: WatchedAttempt): string[] {
  if (route === null) return []
  const server = host === null ? '' : ` ${host}${address === null ? '' : ` (${address})`}`
  const from = source === null ? '' : ` from ${source}${helo === null ? '' : ` as ${helo}`}`
  const tls = host === null ? '' : `, ${tls_version ?? 'not encrypted'} (${tls_policy})`
  return [`  ${route}${destination === null ? '' : ` to ${destination}:`}${server}${from}${tls}`]
}

export const linesOfSkipped = ({ records, node }: SkippedAttempts): string[] => [
  `${records} more attempts of node ${node} are not shown. Narrow it with --domain, --team or --fail-only.`,
]

/** What servers say must not control the terminal; spaces in front stay. */
const cleaned = (line: string) => `${/^ */.exec(line)![0]}${oneLine(line.trimStart())}`
