import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { terminates } from '../../../../test/harness/watchdog.ts'
import { chanceOf, occurs } from './chance.ts'
import { patternOf } from './pattern.ts'
import { compileRules, needsNumbers, ruleFor, rulesFor } from './rules.ts'
import type { Match } from './scenario.ts'

describe('a pattern', () => {
  test.each([
    ['ada@example.com', 'Ada@Example.COM', true],
    ['ada@example.com', 'ada@example.com.evil.test', false],
    ['*@example.com', 'anybody@example.com', true],
    ['ada+*@*', 'ada+42@example.org', true],
    ['ada+*@*', 'ada@example.org', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*', '', true],
    ['**b**', 'abc', true],
    ['a.c', 'abc', false],
  ])('%s and %s', (pattern, text, expected) => {
    expect(patternOf(pattern)(text)).toBe(expected)
  })

  test('fits what a regular expression of the same meaning fits', () => {
    const piece = fc.stringMatching(/^[ab*]{0,8}$/)
    const property = fc.property(piece, fc.stringMatching(/^[abA]{0,12}$/), (pattern, text) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`, 'i')
      expect(patternOf(pattern)(text)).toBe(expression.test(text))
    })
    fc.assert(property, { numRuns: 300 })
  })

  test('with many stars takes no longer than one without', () => {
    const fits = patternOf('a*'.repeat(150).concat('b'), { isPart: true })

    expect(terminates(() => fits('a'.repeat(2_000)))).toBe(false)
  })
})

describe('chance', () => {
  test('is the same for the same seed and question, and spreads evenly', () => {
    const drawn = Array.from({ length: 4_000 }, (_, n) => chanceOf('seed', 'mail', 0, n, 1))

    expect(drawn).toEqual(Array.from({ length: 4_000 }, (_, n) => chanceOf('seed', 'mail', 0, n, 1)))
    expect(drawn.slice(0, 5)).not.toEqual(Array.from({ length: 5 }, (_, n) => chanceOf('other', 'mail', 0, n, 1)))
    for (const part of [0.1, 0.5, 0.9])
      expect(drawn.filter((chance) => chance < part).length / drawn.length).toBeCloseTo(part, 1)
  })

  test('of 0 and 1 is none', () => {
    const never = () => {
      throw new Error('nobody asks')
    }
    expect([undefined, 1, 0].map((probability) => occurs(probability, never))).toEqual([true, true, false])
  })
})

describe('rules', () => {
  const EMAIL = { from: 'Acme <hello@acme.dev>', subject: 'Your code', tags: [{ name: 'kind', value: 'a:b' }] }

  const isFound = (match: Match, { attempt = 1, hits = [] as number[], recipient = 'ada@example.com' } = {}) => {
    const rules = compileRules({ rules: [{ match, outcome: { greylisted: 1 } }] })
    const numbered = { number: 1, hits }
    return ruleFor(rulesFor(rules, EMAIL), { seed: 's', recipient, attempt, numbered }) !== null
  }

  test.each<[Match, boolean]>([
    [{}, true],
    [{ from: 'hello@acme.dev' }, true],
    [{ from: 'acme' }, false],
    [{ subject: 'CODE' }, true],
    [{ tag: 'kind' }, true],
    [{ tag: 'kind:a:b' }, true],
    [{ tag: 'kind:a' }, false],
    [{ tag: 'Kind' }, false],
    [{ domain: 'EXAMPLE.com' }, true],
    [{ domain: 'ample.com' }, false],
    [{ domain: 'example.com', to: 'bob@*' }, false],
    [{ probability: 0 }, false],
  ])('%j', (match, expected) => {
    expect(isFound(match)).toBe(expected)
  })

  test('know a domain by any of its spellings', () => {
    expect(isFound({ domain: 'bücher.example' }, { recipient: 'a@xn--bcher-kva.example' })).toBe(true)
  })

  test('are about some attempts, and about the nth, where they say so', () => {
    const attempts = [1, 2, 3, 4].map((attempt) => isFound({ attempt: { at_least: 2, at_most: 3 } }, { attempt }))
    expect(attempts).toEqual([false, true, true, false])
    expect([isFound({ nth: 3 }), isFound({ nth: 3 }, { hits: [0] })]).toEqual([false, true])
  })

  test('want to know the order of mail only when they depend on it', () => {
    const outcome = { greylisted: 1 }
    expect(needsNumbers({ rules: [{ match: { to: '*' }, outcome }, { outcome }] })).toBe(false)
    expect(needsNumbers({ rules: [{ outcome }, { match: { nth: 1 }, outcome }] })).toBe(true)
    expect(needsNumbers({ rules: [{ match: { probability: 1 }, outcome }] })).toBe(true)
  })
})
