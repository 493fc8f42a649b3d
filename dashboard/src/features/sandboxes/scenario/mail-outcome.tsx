import { Button, IconButton } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { ChoiceLine, NumberLine, TextLine } from './fields.tsx'
import {
  addConsequence,
  CONSEQUENCES,
  type Consequence,
  consequencesOf,
  type Decision,
  decide,
  decisionOf,
  dropConsequence,
  type Outcome,
  withField,
} from './rules.ts'

interface MailOutcomeProps {
  readonly path: string
  readonly outcome: Outcome
  readonly onChange: (outcome: Outcome) => void
}

const DECISION_NAMES: readonly (readonly [Decision | 'taken', string])[] = [
  ['reply', 'answers with a reply'],
  ['delayed', 'takes it, but later'],
  ['greylisted', 'greylists it'],
  ['connection_lost', 'loses the connection'],
  ['taken', 'takes it'],
]

/** What the other server says to the mail, and what follows when it was taken. */
export function MailOutcome({ path, outcome, onChange }: MailOutcomeProps) {
  const decision = decisionOf(outcome)
  const consequences = consequencesOf(outcome)
  return (
    <div className="form">
      <h4>What happens</h4>
      <ChoiceLine
        path={path}
        label="The other server"
        // Somebody who only takes it is what happens without a rule.
        options={DECISION_NAMES.filter(([name]) => name !== 'taken' || consequences.length > 0)}
        value={decision ?? 'taken'}
        onChange={(name) => onChange(decide(outcome, name === 'taken' ? null : name))}
      />
      <DecisionFields {...{ path, outcome, onChange }} />
      {consequences.map((name) => (
        <ConsequenceFields key={name} path={`${path}.${name}`} {...{ name, outcome, onChange }} />
      ))}
      <div className="actions">
        <Menu
          label="Add what follows"
          trigger={<Button icon="plus">And then</Button>}
          items={CONSEQUENCES.filter((name) => !consequences.includes(name)).map((name) => ({
            label: CONSEQUENCE_NAMES[name],
            onChoose: () => onChange(addConsequence(outcome, name)),
          }))}
        />
      </div>
    </div>
  )
}

function DecisionFields({ path, outcome, onChange }: MailOutcomeProps) {
  const { reply, delayed, connection_lost, greylisted } = outcome
  if (reply !== undefined)
    return (
      <TextLine
        path={`${path}.reply`}
        label="Reply"
        hint="A code and a text. 4xx is for now, 5xx for good, 250 is taken."
        value={reply}
        onChange={(value) => onChange({ ...outcome, reply: value })}
      />
    )
  if (delayed !== undefined)
    return (
      <TextLine
        path={`${path}.delayed`}
        label="How much later"
        hint="Like “1 hour”."
        value={delayed}
        onChange={(value) => onChange({ ...outcome, delayed: value })}
      />
    )
  if (connection_lost !== undefined)
    return (
      <ChoiceLine
        path={`${path}.connection_lost`}
        label="When"
        options={[
          ['before_data', 'before the mail was sent'],
          ['after_data', 'after it, before the answer'],
        ]}
        value={connection_lost}
        onChange={(value) => onChange({ ...outcome, connection_lost: value })}
      />
    )
  if (greylisted === undefined) return null
  return (
    <NumberLine
      path={`${path}.greylisted`}
      label="How many attempts are put off"
      min={1}
      max={100}
      value={greylisted}
      onChange={(value) => onChange({ ...outcome, greylisted: value })}
    />
  )
}

const CONSEQUENCE_NAMES: Readonly<Record<Consequence, string>> = {
  bounced: 'It bounces',
  complained: 'Somebody complains',
  opened: 'Somebody opens it',
  clicked: 'Somebody clicks a link',
  unsubscribed: 'Somebody unsubscribes',
  replied: 'Somebody answers',
}

const VISITORS = [
  ['person', 'a person'],
  ['privacy_proxy', 'a privacy proxy'],
  ['scanner', 'a scanner'],
] as const

interface ConsequenceProps extends MailOutcomeProps {
  readonly name: Consequence
}

function ConsequenceFields({ path, name, outcome, onChange }: ConsequenceProps) {
  const { bounced, opened, clicked, replied } = outcome
  const visit = name === 'opened' ? opened : name === 'clicked' ? clicked : undefined
  return (
    <fieldset className="consequence">
      <legend>
        {CONSEQUENCE_NAMES[name]}
        <IconButton
          icon="close"
          label={`Without “${CONSEQUENCE_NAMES[name]}”`}
          onClick={() => onChange(dropConsequence(outcome, name))}
        />
      </legend>
      <TextLine
        path={`${path}.after`}
        label="How long after the delivery"
        hint="Like “10 minutes”. Empty: at once."
        value={outcome[name]?.after ?? ''}
        onChange={(text) =>
          onChange({ ...outcome, [name]: withField({ ...outcome[name]! }, 'after', text || undefined) })
        }
      />
      {visit && (
        <ChoiceLine
          path={`${path}.by`}
          label="By"
          options={VISITORS}
          value={visit.by ?? 'person'}
          onChange={(by) => onChange({ ...outcome, [name]: { ...visit, by } })}
        />
      )}
      {name === 'clicked' && clicked && (
        <TextLine
          path={`${path}.link`}
          label="Which link"
          hint="A part of its address. Empty: the first."
          value={clicked.link ?? ''}
          onChange={(text) => onChange({ ...outcome, clicked: withField(clicked, 'link', text || undefined) })}
        />
      )}
      {name === 'bounced' && bounced && (
        <TextLine
          path={`${path}.reply`}
          label="What the report says"
          placeholder="550 5.1.1 no such user"
          value={bounced.reply ?? ''}
          onChange={(text) => onChange({ ...outcome, bounced: withField(bounced, 'reply', text || undefined) })}
        />
      )}
      {name === 'replied' && replied && (
        <>
          <TextLine
            path={`${path}.text`}
            label="Text"
            isLong
            value={replied.text}
            onChange={(text) => onChange({ ...outcome, replied: { ...replied, text } })}
          />
          <TextLine
            path={`${path}.subject`}
            label="Subject"
            placeholder="Re: …"
            value={replied.subject ?? ''}
            onChange={(text) => onChange({ ...outcome, replied: withField(replied, 'subject', text || undefined) })}
          />
        </>
      )}
    </fieldset>
  )
}
