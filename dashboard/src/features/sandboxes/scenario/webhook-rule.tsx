import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { texts } from '../texts.ts'
import { ChanceLine, ChoiceLine, NumberLine, RuleFrame, TextLine } from './fields.tsx'
import { AttemptFields } from './mail-rule.tsx'
import { type WebhookRule as Rule, withField, without } from './rules.ts'

type Match = NonNullable<Rule['match']>
type Outcome = Rule['outcome']
type Kind = 'status' | 'times_out' | 'connection_lost'

interface WebhookRuleProps {
  readonly rule: Rule
  readonly at: number
  readonly count: number
  readonly onChange: (rule: Rule) => void
  readonly onMove: (by: 1 | -1) => void
  readonly onDrop: () => void
}

const KINDS = [
  ['status', texts.webhookOutcome.kinds.status],
  ['times_out', texts.webhookOutcome.kinds.timesOut],
  ['connection_lost', texts.webhookOutcome.kinds.connectionLost],
] as const satisfies readonly (readonly [Kind, string])[]

const kindOf = ({ times_out, connection_lost }: Outcome): Kind =>
  times_out ? 'times_out' : connection_lost ? 'connection_lost' : 'status'

const outcomeOf = (kind: Kind): Outcome => (kind === 'status' ? { status: 500 } : { [kind]: true })

/** Which calls of webhooks, and what the endpoint seems to do. */
export function WebhookRule({ rule, at, count, onChange, onMove, onDrop }: WebhookRuleProps) {
  const { outcome } = rule
  const path = `webhooks[${at}]`
  const { times } = outcome
  const change = (next: Outcome) => onChange({ ...rule, outcome: next })
  return (
    <RuleFrame path={path} title={sentenceOf(rule)} {...{ at, count, onMove, onDrop }}>
      <div className="columns even">
        <WebhookMatch path={`${path}.match`} rule={rule} onChange={onChange} />
        <div className="form">
          <h4>{texts.rule.outcome}</h4>
          <ChoiceLine
            path={`${path}.outcome`}
            label={texts.webhookOutcome.endpoint}
            options={KINDS}
            value={kindOf(outcome)}
            onChange={(kind) => change({ ...outcomeOf(kind), ...(times !== undefined && { times }) })}
          />
          {outcome.status !== undefined && (
            <NumberLine
              path={`${path}.outcome.status`}
              label={texts.webhookOutcome.status}
              min={200}
              max={599}
              value={outcome.status}
              onChange={(status) => change({ ...outcome, status })}
            />
          )}
          {times === undefined ? (
            <div className="actions">
              <Button icon="plus" onClick={() => change({ ...outcome, times: 2 })}>
                {texts.webhookOutcome.firstAttempts}
              </Button>
            </div>
          ) : (
            <NumberLine
              path={`${path}.outcome.times`}
              label={texts.webhookOutcome.limitAttempts}
              min={1}
              max={1_000}
              value={times}
              onChange={(value) => change({ ...outcome, times: value })}
              onDrop={() => change(without(outcome, 'times'))}
            />
          )}
        </div>
      </div>
    </RuleFrame>
  )
}

function WebhookMatch({ path, rule, onChange }: { path: string; rule: Rule; onChange: (rule: Rule) => void }) {
  const { match = {} } = rule
  const { endpoint, event, attempt, probability } = match
  const become = (next: Match) =>
    onChange(Object.keys(next).length === 0 ? without(rule, 'match') : { ...rule, match: next })
  const set = <Name extends keyof Match>(name: Name, value: Match[Name]) => become({ ...match, [name]: value })
  const offers = [
    ...(endpoint === undefined ? [{ label: texts.conditions.endpoint, onChoose: () => set('endpoint', '') }] : []),
    ...(event === undefined ? [{ label: texts.conditions.event, onChoose: () => set('event', 'email.sent') }] : []),
    ...(attempt ? [] : [{ label: texts.conditions.attempt, onChoose: () => set('attempt', { at_most: 1 }) }]),
    ...(probability === undefined
      ? [{ label: texts.conditions.probability, onChoose: () => set('probability', 0.5) }]
      : []),
  ]
  return (
    <div className="form">
      <h4>{texts.rule.match}</h4>
      {Object.keys(match).length === 0 && <p className="muted">{texts.conditions.allRequests}</p>}
      {endpoint !== undefined && (
        <TextLine
          path={`${path}.endpoint`}
          label={texts.conditions.endpoint}
          hint={texts.conditions.endpointHint}
          value={endpoint}
          onChange={(text) => set('endpoint', text)}
          onDrop={() => become(without(match, 'endpoint'))}
        />
      )}
      {event !== undefined && (
        <TextLine
          path={`${path}.event`}
          label={texts.conditions.event}
          value={event}
          onChange={(text) => set('event', text)}
          onDrop={() => become(without(match, 'event'))}
        />
      )}
      {attempt && (
        <AttemptFields
          path={`${path}.attempt`}
          attempt={attempt}
          onChange={(next) => become(withField(match, 'attempt', next))}
        />
      )}
      {probability !== undefined && (
        <ChanceLine
          path={`${path}.probability`}
          label={texts.conditions.probabilityPercent}
          value={probability}
          onChange={(value) => set('probability', value)}
          onDrop={() => become(without(match, 'probability'))}
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

function sentenceOf({ match = {}, outcome }: Rule): string {
  const words = texts.webhookSentence
  const conditions = [
    ...(match.event === undefined ? [] : [words.event(match.event)]),
    ...(match.endpoint === undefined ? [] : [words.endpoint(match.endpoint || '…')]),
  ].join(' ')
  const requests = conditions ? words.requests(conditions) : words.allRequests
  const what = {
    status: words.status(outcome.status ?? ''),
    times_out: words.timesOut,
    connection_lost: words.connectionLost,
  }[kindOf(outcome)]
  const { times } = outcome
  return words.whole(requests, times === undefined ? what : words.limited(what, words.firstAttempts(times)))
}
