import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { texts } from '../texts.ts'
import { ChanceLine, ChoiceLine, NumberLine, RuleFrame, TextLine } from './fields.tsx'
import { MailOutcome } from './mail-outcome.tsx'
import { type Match, type Rule, withField, without } from './rules.ts'
import { sentenceOf } from './sentences.ts'

interface MailRuleProps {
  readonly rule: Rule
  readonly at: number
  readonly count: number
  readonly onChange: (rule: Rule) => void
  readonly onMove: (by: 1 | -1) => void
  readonly onDrop: () => void
}

/** Which mail, and what the other side does with it. */
export function MailRule({ rule, at, count, onChange, onMove, onDrop }: MailRuleProps) {
  const { match = {}, outcome } = rule
  const path = `rules[${at}]`
  const changeMatch = (next: Match) =>
    onChange(Object.keys(next).length === 0 ? without(rule, 'match') : { ...rule, match: next })
  return (
    <RuleFrame path={path} title={sentenceOf(rule)} {...{ at, count, onMove, onDrop }}>
      <div className="columns even">
        <MatchFields path={`${path}.match`} match={match} onChange={changeMatch} />
        <MailOutcome
          path={`${path}.outcome`}
          outcome={outcome}
          onChange={(next) => onChange({ ...rule, outcome: next })}
        />
      </div>
    </RuleFrame>
  )
}

const TEXTS = [
  {
    name: 'to',
    label: texts.conditions.to,
    hint: texts.conditions.toHint,
    placeholder: texts.conditions.toPlaceholder,
  },
  {
    name: 'domain',
    label: texts.conditions.domain,
    hint: texts.conditions.domainHint,
    placeholder: texts.conditions.domainPlaceholder,
  },
  { name: 'from', label: texts.conditions.from, hint: texts.conditions.fromHint },
  { name: 'subject', label: texts.conditions.subject, hint: texts.conditions.subjectHint },
  { name: 'tag', label: texts.conditions.tag, hint: texts.conditions.tagHint },
] as const

interface MatchFieldsProps {
  readonly path: string
  readonly match: Match
  readonly onChange: (match: Match) => void
}

function MatchFields({ path, match, onChange }: MatchFieldsProps) {
  const set = <Name extends keyof Match>(name: Name, value: Match[Name]) => onChange({ ...match, [name]: value })
  const drop = (name: keyof Match) => onChange(without(match, name))
  const { attempt, nth, probability } = match
  const offers = [
    ...TEXTS.filter(({ name }) => match[name] === undefined).map(({ name, label }) => ({
      label,
      onChoose: () => set(name, ''),
    })),
    ...(attempt ? [] : [{ label: texts.conditions.attempt, onChoose: () => set('attempt', { at_most: 1 }) }]),
    ...(nth === undefined ? [{ label: texts.conditions.nthMatch, onChoose: () => set('nth', 1) }] : []),
    ...(probability === undefined
      ? [{ label: texts.conditions.probability, onChoose: () => set('probability', 0.5) }]
      : []),
  ]
  return (
    <div className="form">
      <h4>{texts.rule.match}</h4>
      {Object.keys(match).length === 0 && <p className="muted">{texts.conditions.allEmail}</p>}
      {TEXTS.map(({ name, ...field }) => {
        const value = match[name]
        return (
          value !== undefined && (
            <TextLine
              key={name}
              path={`${path}.${name}`}
              {...field}
              value={value}
              onChange={(text) => set(name, text)}
              onDrop={() => drop(name)}
            />
          )
        )
      })}
      {attempt && (
        <AttemptFields
          path={`${path}.attempt`}
          attempt={attempt}
          onChange={(next) => onChange(withField(match, 'attempt', next))}
        />
      )}
      {nth !== undefined && (
        <NumberLine
          path={`${path}.nth`}
          label={texts.conditions.nthMatch}
          hint={texts.conditions.nthMatchHint}
          min={1}
          max={1_000_000}
          value={nth}
          onChange={(value) => set('nth', value)}
          onDrop={() => drop('nth')}
        />
      )}
      {probability !== undefined && (
        <ChanceLine
          path={`${path}.probability`}
          label={texts.conditions.probabilityPercent}
          hint={texts.conditions.probabilityHint}
          value={probability}
          onChange={(value) => set('probability', value)}
          onDrop={() => drop('probability')}
        />
      )}
      {offers.length > 0 && (
        <div className="actions">
          <Menu
            label={texts.rule.addCondition}
            items={offers}
            trigger={<Button icon="plus">{texts.rule.addCondition}</Button>}
          />
        </div>
      )}
    </div>
  )
}

export type Attempt = NonNullable<Match['attempt']>

const KINDS = [
  ['at_most', texts.conditions.attemptUpTo],
  ['at_least', texts.conditions.attemptFrom],
] as const

interface AttemptFieldsProps {
  readonly path: string
  readonly attempt: Attempt
  /** Undefined: any attempt. */
  readonly onChange: (attempt: Attempt | undefined) => void
}

/** Up to an attempt, or from one on. Both together are two fields. */
export function AttemptFields({ path, attempt, onChange }: AttemptFieldsProps) {
  const both = attempt.at_least !== undefined && attempt.at_most !== undefined
  const kind = attempt.at_least === undefined ? 'at_most' : 'at_least'
  const drop = (name: keyof Attempt) => {
    const rest = without(attempt, name)
    onChange(Object.keys(rest).length > 0 ? rest : undefined)
  }
  const number = (name: keyof Attempt, label: string) => (
    <NumberLine
      key={name}
      path={`${path}.${name}`}
      label={label}
      min={1}
      max={1_000}
      value={attempt[name] ?? 1}
      onChange={(value) => onChange({ ...attempt, [name]: value })}
      onDrop={() => drop(name)}
    />
  )
  if (both) return [number('at_least', texts.conditions.fromAttempt), number('at_most', texts.conditions.upToAttempt)]
  return (
    <>
      <ChoiceLine
        path={path}
        label={texts.conditions.attempt}
        options={KINDS}
        value={kind}
        onChange={(next) => onChange({ [next]: attempt[kind] ?? 1 })}
      />
      {number(kind, kind === 'at_least' ? texts.conditions.fromAttempt : texts.conditions.upToAttempt)}
    </>
  )
}
