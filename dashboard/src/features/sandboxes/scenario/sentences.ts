import { texts } from '../texts.ts'
import { type Consequence, consequencesOf, decisionOf, type Match, type Outcome, type Rule } from './rules.ts'

// A rule as people say it: the head of its card.

const words = texts.mailSentence

export function sentenceOf({ match = {}, outcome }: Rule): string {
  return words.whole(whichMail(match), whatHappens(outcome))
}

function whichMail({ to, domain, from, subject, tag, attempt, nth, probability }: Match): string {
  const parts = [
    ...(nth === undefined ? [] : [words.nth(nth)]),
    ...(to === undefined ? [] : [words.to(to)]),
    ...(domain === undefined ? [] : [words.domain(domain)]),
    ...(from === undefined ? [] : [words.from(from)]),
    ...(subject === undefined ? [] : [words.subject(subject)]),
    ...(tag === undefined ? [] : [words.tag(tag)]),
    ...(attempt ? [attemptsIn(attempt)] : []),
    ...(probability === undefined ? [] : [words.probability(percentOf(probability))]),
  ]
  return parts.length === 0 ? words.allEmail : words.email(parts.join(', '))
}

function attemptsIn({ at_least, at_most }: NonNullable<Match['attempt']>): string {
  if (at_least !== undefined && at_most !== undefined) return words.attempts(at_least, at_most)
  if (at_least !== undefined) return words.fromAttempt(at_least)
  return at_most === undefined ? words.anyAttempt : words.upToAttempt(at_most)
}

export const percentOf = (probability: number) => Math.round(probability * 1_000) / 10

function whatHappens(outcome: Outcome): string {
  const followed = consequencesOf(outcome).map((name) => consequence(outcome, name))
  if (followed.length === 0) return decided(outcome)
  return decisionOf(outcome) === null
    ? words.followed(listed(followed))
    : words.decidedAndFollowed(decided(outcome), listed(followed))
}

function decided(outcome: Outcome): string {
  switch (decisionOf(outcome)) {
    case 'reply':
      return words.reply(outcome.reply || '…')
    case 'delayed':
      return words.delayed(outcome.delayed || '…')
    case 'connection_lost':
      return outcome.connection_lost === 'before_data' ? words.lostBeforeData : words.lostAfterData
    case 'greylisted':
      return words.greylisted(outcome.greylisted ?? 1)
    default:
      return words.accepted
  }
}

function consequence(outcome: Outcome, name: Consequence): string {
  const { after } = outcome[name]!
  const what = words.followUps[name]
  return after ? words.followUpAfter(what, after) : what
}

const listed = (parts: readonly string[]) =>
  parts.length === 1 ? parts[0]! : words.list(parts.slice(0, -1).join(', '), parts.at(-1)!)
