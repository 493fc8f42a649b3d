import { domainOf, parseMailbox, toAsciiDomain } from '../../../mail/address.ts'
import { chanceOf, isBorneOut } from './chance.ts'
import { patternOf } from './pattern.ts'
import type { Bounds, LoadedScenario, Match, Rule, RuleOutcome } from './scenario.ts'

/** What rules look at in an email. */
export interface RuledEmail {
  readonly from: string
  readonly subject: string
  readonly tags: readonly { readonly name: string; readonly value: string }[] | null
}

/** Where a recipient stands in the story: the how many-th since the scenario was set, and for which rules it is the nth that fits. */
export interface Numbered {
  readonly number: number
  readonly hits: readonly number[]
}

type Test<About> = (about: About) => boolean

/** A rule, made ready to be asked often. What it asks of an email is apart: it is the same for all recipients. */
export interface CompiledRule {
  readonly outcome: RuleOutcome
  readonly match: Match
  fitsEmail: Test<RuledEmail>
  fitsRecipient: Test<string>
}

export const compileRules = ({ rules = [] }: Pick<LoadedScenario, 'rules'>): readonly CompiledRule[] =>
  rules.map(compileRule)

function compileRule({ match = {}, outcome }: Rule): CompiledRule {
  return { outcome, match, fitsEmail: all(emailTests(match)), fitsRecipient: all(recipientTests(match)) }
}

const all =
  <About>(tests: readonly Test<About>[]): Test<About> =>
  (about) =>
    tests.every((test) => test(about))

function emailTests({ from, subject, tag }: Match): Test<RuledEmail>[] {
  const tests: Test<RuledEmail>[] = []
  if (from !== undefined) {
    const isFrom = patternOf(from)
    tests.push((email) => isFrom(parseMailbox(email.from)?.address ?? email.from))
  }
  if (subject !== undefined) {
    const isSubject = patternOf(subject, { isPart: true })
    tests.push((email) => isSubject(email.subject))
  }
  if (tag !== undefined) {
    const [name, ...value] = tag.split(':')
    const wanted = value.length > 0 ? value.join(':') : null
    tests.push(({ tags }) => tags?.some((one) => one.name === name && (wanted ?? one.value) === one.value) ?? false)
  }
  return tests
}

function recipientTests({ to, domain }: Match): Test<string>[] {
  const tests: Test<string>[] = []
  if (to !== undefined) tests.push(patternOf(to))
  if (domain !== undefined) {
    const isDomain = patternOf(spelled(domain))
    tests.push((recipient) => isDomain(spelled(domainOf(recipient))))
  }
  return tests
}

/** As DNS has it, if it can have it. */
const spelled = (domain: string) => (domain.includes('*') ? domain : toAsciiDomain(domain) || domain)

export const isWithin = (bounds: Bounds | undefined, count: number): boolean =>
  bounds === undefined || (count >= (bounds.at_least ?? 1) && count <= (bounds.at_most ?? Number.POSITIVE_INFINITY))

/** Whether it must be known where recipients stand in the story before rules are asked. */
export const needsNumbers = ({ rules = [] }: Pick<LoadedScenario, 'rules'>): boolean =>
  rules.some(({ match }) => match?.nth !== undefined || match?.probability !== undefined)

/** The first rule that fits a recipient at this attempt. `fitting`: those of which `fitsEmail` has been asked, by their place. */
export function ruleFor(
  fitting: ReadonlyMap<number, CompiledRule>,
  about: { readonly seed: string; readonly recipient: string; readonly attempt: number; readonly numbered: Numbered },
): CompiledRule | null {
  const { seed, recipient, attempt, numbered } = about
  for (const [place, rule] of fitting) {
    const { nth, probability } = rule.match
    if (!isWithin(rule.match.attempt, attempt)) continue
    if (nth !== undefined && !numbered.hits.includes(place)) continue
    if (!rule.fitsRecipient(recipient)) continue
    if (isBorneOut(probability, () => chanceOf(seed, 'mail', place, numbered.number, attempt))) return rule
  }
  return null
}

/** The rules that fit an email, by their place. */
export const rulesFor = (rules: readonly CompiledRule[], email: RuledEmail): ReadonlyMap<number, CompiledRule> =>
  new Map([...rules.entries()].filter(([, rule]) => rule.fitsEmail(email)))
