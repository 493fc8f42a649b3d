import { describe, expect, test } from 'vitest'
import { FILTERS, isEmpty } from '../dashboard/src/features/messages/filter.ts'
import { nearestStep, STEPS } from '../dashboard/src/features/sandboxes/clock/steps.ts'
import {
  addConsequence,
  asWritten,
  decide,
  dropConsequence,
  fieldIn,
  moved,
  PRESETS,
  reasonIn,
} from '../dashboard/src/features/sandboxes/scenario/rules.ts'
import { sentenceOf } from '../dashboard/src/features/sandboxes/scenario/sentences.ts'
import { activeFilters, withText } from '../dashboard/src/ui/filter-values.ts'
import { Scenario } from '../src/features/sandboxes/scenario/schema.ts'
import { fits } from '../src/kernel/http/validate.ts'
import { parseDuration } from '../src/platform/duration.ts'

// What the pages about sandboxes and all mail know, without a browser.

describe('a search over all mail', () => {
  test('is words, and terms of which some are parameters of the API', () => {
    const text = 'hello 12:30 subject:"a b" is:unread label:seen TO:ada@example.com is:sent has:attachment'
    expect(withText(FILTERS, {}, text)).toEqual({
      ...{ subject: 'a b', is_read: 'false', tag: 'seen', to: 'ada@example.com', direction: 'sent' },
      q: 'has:attachment hello 12:30',
    })
  })

  test('says in a chip what it is narrowed by', () => {
    const labels = activeFilters(FILTERS, { is_read: 'false', to: 'ada@example.com' }).map(({ label }) => label)
    expect(labels).toEqual(['Read state: Unread', 'To: ada@example.com'])
    expect([isEmpty({ q: undefined }), isEmpty({ q: 'x' })]).toEqual([true, false])
  })
})

describe('the slider of a clock', () => {
  test('stops at durations that the API understands, from a minute to ninety days', () => {
    expect(STEPS.map(({ words }) => parseDuration(words))).toEqual(STEPS.map(({ seconds }) => seconds))
    expect([STEPS[0]!.words, STEPS.at(-1)!.words]).toEqual(['1 minute', '90 days'])
  })

  test('stands at the stop that is nearest to what is written', () => {
    const wordsFor = (seconds: number) => STEPS[nearestStep(seconds)]!.words

    expect([1, 59, 3_600, 4 * 86_400, 10 ** 9].map(wordsFor)).toEqual([
      ...['1 minute', '1 minute', '1 hour', '5 days', '90 days'],
    ])
  })
})

describe('a scenario', () => {
  test('begins with rules that the API takes', () => {
    expect(PRESETS.filter(({ rule }) => !fits(Scenario, { rules: [rule] }))).toEqual([])
  })

  test('has one decision for each rule, and at least something that happens', () => {
    const opened = addConsequence(decide({ reply: '250 fine' }, 'greylisted'), 'opened')

    expect(decide(opened, 'delayed')).toEqual({ delayed: '1 hour', opened: { after: '5 minutes', by: 'person' } })
    expect(decide(opened, null)).toEqual({ opened: { after: '5 minutes', by: 'person' } })
    expect(dropConsequence(decide(opened, null), 'opened')).toEqual({ reply: '550 5.1.1 no such user' })
  })

  test('has an order, and what is empty is left out of it', () => {
    expect(moved(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c'])
    expect(moved(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'b', 'c'])
    expect(asWritten({ rules: [], webhooks: [], smtp: {} })).toEqual({})
  })

  test('is told in sentences', () => {
    expect(PRESETS.map(({ rule }) => sentenceOf(rule))).toEqual([
      'Email to *@example.com gets the reply 550 5.1.1 no such user.',
      'Email up to attempt 2 gets the reply 452 4.2.2 mailbox full.',
      'All email is greylisted once.',
      'All email is accepted after 1 hour.',
      'Email in 10 % of cases is disconnected after its data.',
      'All email is bounced after 10 minutes.',
      'All email is marked as spam after 1 day.',
      'All email is opened after 5 minutes and clicked after 6 minutes.',
      'All email is unsubscribed after 1 day.',
      'All email is replied to after 1 hour.',
    ])
    expect(sentenceOf({ outcome: { greylisted: 2, clicked: {} } })).toBe(
      'All email is greylisted 2 times, and then clicked.',
    )
  })

  test('is refused at the field that the API names', () => {
    const message = 'Invalid `rules[0].outcome.reply` field. It must be a reply.'

    expect([fieldIn(message), reasonIn(message)]).toEqual(['rules[0].outcome.reply', 'It must be a reply.'])
    expect(fieldIn('Too many rules.')).toBeNull()
  })
})
