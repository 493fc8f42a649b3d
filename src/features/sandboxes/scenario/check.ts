import { Problem } from '../../../kernel/http/problem.ts'
import { normalDuration, parseDuration } from '../../../platform/duration.ts'
import type { Rule, Scenario } from './schema.ts'

// What is wrong with a scenario that its schema cannot say. Each sentence names the field.

const DECIDING = ['reply', 'delayed', 'connection_lost', 'greylisted'] as const
const FOLLOWING = ['opened', 'clicked', 'replied', 'unsubscribed', 'bounced', 'complained'] as const
const FAULTS = ['status', 'times_out', 'connection_lost'] as const

const LONGEST_SECONDS = 365 * 24 * 60 * 60

const refuse = (field: string, words: string) => {
  throw new Problem('validation_error', `Invalid \`${field}\` field. ${words}`)
}

/** Of its JSON, in characters: processes keep some of them in memory. */
const LONGEST = 100_000

export function checkScenario(scenario: Scenario): void {
  const { rules = [], webhooks = [] } = scenario
  if (JSON.stringify(scenario).length > LONGEST)
    throw new Problem('validation_error', `A scenario can have ${LONGEST} characters.`)
  for (const [index, { match, outcome }] of rules.entries()) {
    const at = `rules[${index}]`
    checkBounds(match?.attempt, `${at}.match.attempt`)
    checkOutcome(outcome, `${at}.outcome`)
  }
  for (const [index, { match, outcome }] of webhooks.entries()) {
    const at = `webhooks[${index}]`
    checkBounds(match?.attempt, `${at}.match.attempt`)
    if (FAULTS.filter((name) => outcome[name] !== undefined).length !== 1)
      refuse(`${at}.outcome`, `It must have one of ${inWords(FAULTS)}.`)
  }
}

function checkOutcome(outcome: Rule['outcome'], at: string) {
  const deciding = DECIDING.filter((name) => outcome[name] !== undefined)
  if (deciding.length > 1)
    refuse(at, `One of ${inWords(DECIDING)} decides about a delivery, and these are ${inWords(deciding, 'and')}.`)
  const following = FOLLOWING.filter((name) => outcome[name] !== undefined)
  const isRefused = outcome.connection_lost !== undefined || (outcome.reply !== undefined && !/^2/.test(outcome.reply))
  if (isRefused && following.length > 0)
    refuse(`${at}.${following[0]}`, `With \`${deciding[0]}\` the mail is not delivered, and nothing follows.`)
  if (outcome.delayed !== undefined) checkDuration(outcome.delayed, `${at}.delayed`)
  for (const name of following) {
    const after = outcome[name]?.after
    if (after !== undefined) checkDuration(after, `${at}.${name}.after`)
  }
}

function checkDuration(text: string, field: string) {
  const seconds = parseDuration(text)
  if (seconds === null) return refuse(field, 'It must be a duration like `10 minutes` or `3 days`.')
  if (seconds > LONGEST_SECONDS) refuse(field, `It must be at most ${normalDuration(LONGEST_SECONDS)}.`)
}

function checkBounds(bounds: { at_least?: number; at_most?: number } | undefined, field: string) {
  const { at_least = 1, at_most = Number.POSITIVE_INFINITY } = bounds ?? {}
  if (at_least > at_most) refuse(field, '`at_least` must not be greater than `at_most`.')
}

const inWords = (names: readonly string[], word = 'or') => {
  const quoted = names.map((name) => `\`${name}\``)
  return quoted.length < 2 ? quoted.join() : `${quoted.slice(0, -1).join(', ')} ${word} ${quoted.at(-1)}`
}
