import { texts } from '../texts.ts'
import { type Consequence, consequencesOf, decisionOf, type Match, type Outcome, type Rule } from './rules.ts'

// A rule as people say it: the head of its card.

export function sentenceOf({ match = {}, outcome }: Rule): string {
  return `${whichMail(match)} ${whatHappens(outcome)}`
}

function whichMail({ to, domain, from, subject, tag, attempt, nth, probability }: Match): string {
  const parts = [
    ...(nth === undefined ? [] : [`number ${nth}`]),
    ...(to === undefined ? [] : [`to ${to}`]),
    ...(domain === undefined ? [] : [`for ${domain}`]),
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(subject === undefined ? [] : [texts.withSubject(subject)]),
    ...(tag === undefined ? [] : [`tagged ${tag}`]),
    ...(attempt ? [attemptsIn(attempt)] : []),
    ...(probability === undefined ? [] : [`in ${percentOf(probability)} % of cases`]),
  ]
  return parts.length === 0 ? texts.allEmail2 : texts.email(parts.join(', '))
}

function attemptsIn({ at_least, at_most }: NonNullable<Match['attempt']>): string {
  if (at_least !== undefined && at_most !== undefined) return `at attempts ${at_least} to ${at_most}`
  if (at_least !== undefined) return `from attempt ${at_least} on`
  return at_most === undefined ? texts.atAnyAttempt : texts.upAttemptOf(at_most)
}

export const percentOf = (probability: number) => Math.round(probability * 1_000) / 10

function whatHappens(outcome: Outcome): string {
  const followed = consequencesOf(outcome).map((name) => consequence(outcome, name))
  const first = decided(outcome)
  if (followed.length === 0) return `${first}.`
  return `${first === ACCEPTED ? 'is' : `${first}, and then`} ${listed(followed)}.`
}

const ACCEPTED = 'is accepted'

function decided(outcome: Outcome): string {
  switch (decisionOf(outcome)) {
    case 'reply':
      return texts.getsReply(outcome.reply || '…')
    case 'delayed':
      return texts.acceptedAfter(outcome.delayed || '…')
    case 'connection_lost':
      return `is disconnected ${outcome.connection_lost === 'before_data' ? 'before' : 'after'} its data`
    case 'greylisted':
      return `is greylisted ${outcome.greylisted === 1 ? 'once' : `${outcome.greylisted} times`}`
    default:
      return ACCEPTED
  }
}

const NAMES: Readonly<Record<Consequence, string>> = {
  bounced: 'bounced',
  complained: 'marked as spam',
  opened: 'opened',
  clicked: 'clicked',
  unsubscribed: 'unsubscribed',
  replied: 'replied to',
}

function consequence(outcome: Outcome, name: Consequence): string {
  const { after } = outcome[name]!
  return after ? `${NAMES[name]} after ${after}` : NAMES[name]
}

const listed = (parts: readonly string[]) =>
  parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
