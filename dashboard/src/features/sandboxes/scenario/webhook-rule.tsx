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
  ['status', 'responds with a status'],
  ['times_out', 'times out'],
  ['connection_lost', 'drops the connection'],
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
          <h4>{texts.outcome}</h4>
          <ChoiceLine
            path={`${path}.outcome`}
            label={texts.endpoint}
            options={KINDS}
            value={kindOf(outcome)}
            onChange={(kind) => change({ ...outcomeOf(kind), ...(times !== undefined && { times }) })}
          />
          {outcome.status !== undefined && (
            <NumberLine
              path={`${path}.outcome.status`}
              label={texts.status}
              min={200}
              max={599}
              value={outcome.status}
              onChange={(status) => change({ ...outcome, status })}
            />
          )}
          {times === undefined ? (
            <div className="actions">
              <Button icon="plus" onClick={() => change({ ...outcome, times: 2 })}>
                {texts.firstAttempts}
              </Button>
            </div>
          ) : (
            <NumberLine
              path={`${path}.outcome.times`}
              label={texts.limitFirstAttemptsEach}
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
    ...(endpoint === undefined ? [{ label: texts.endpoint2, onChoose: () => set('endpoint', '') }] : []),
    ...(event === undefined ? [{ label: texts.event, onChoose: () => set('event', 'email.sent') }] : []),
    ...(attempt ? [] : [{ label: texts.attempt, onChoose: () => set('attempt', { at_most: 1 }) }]),
    ...(probability === undefined ? [{ label: texts.probability, onChoose: () => set('probability', 0.5) }] : []),
  ]
  return (
    <div className="form">
      <h4>{texts.match}</h4>
      {Object.keys(match).length === 0 && <p className="muted">{texts.allRequests}</p>}
      {endpoint !== undefined && (
        <TextLine
          path={`${path}.endpoint`}
          label={texts.endpoint2}
          hint={texts.partUrl}
          value={endpoint}
          onChange={(text) => set('endpoint', text)}
          onDrop={() => become(without(match, 'endpoint'))}
        />
      )}
      {event !== undefined && (
        <TextLine
          path={`${path}.event`}
          label={texts.event}
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
          label={texts.probability2}
          value={probability}
          onChange={(value) => set('probability', value)}
          onDrop={() => become(without(match, 'probability'))}
        />
      )}
      {offers.length > 0 && (
        <div className="actions">
          <Menu label={texts.addCondition} items={offers} trigger={<Button icon="plus">{texts.condition}</Button>} />
        </div>
      )}
    </div>
  )
}

function sentenceOf({ match = {}, outcome }: Rule): string {
  const which = [
    ...(match.event === undefined ? [] : [`of ${match.event}`]),
    ...(match.endpoint === undefined ? [] : [`to ${match.endpoint || '…'}`]),
  ].join(' ')
  const what = {
    status: texts.getStatus(outcome.status ?? ''),
    times_out: 'time out',
    connection_lost: 'are disconnected',
  }
  const often =
    outcome.times === undefined
      ? ''
      : outcome.times === 1
        ? ', at the first attempt'
        : `, at the first ${outcome.times} attempts`
  return `${which ? texts.requests(which) : texts.allRequests2} ${what[kindOf(outcome)]}${often}.`
}
